// Prints the custom resource definitions of Karpenter that the tests create objects of, as YAML documents.
package main

import (
	"fmt"

	"sigs.k8s.io/karpenter/pkg/apis"
)

func main() {
	for _, definition := range [][]byte{apis.NodePoolCRD, apis.NodeClaimCRD} {
		fmt.Printf("---\n%s\n", definition)
	}
}
