// Asks a NodeBootstrapping server for a node with Karpenter's own client, and fills in the bootstrap token with
// Karpenter's own code, as its controller does in provision mode bootstrappingclient. Prints {"customData", "cse"}, or
// the client's error on standard error.
//
//	karpenter --server 127.0.0.1:8080 --subscription S --resource-group G --cluster C --subnet ID [--distro D] [--version V]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/karpenter-provider-azure/pkg/operator/options"
	"github.com/Azure/karpenter-provider-azure/pkg/providers/imagefamily"
	"github.com/Azure/karpenter-provider-azure/pkg/providers/imagefamily/bootstrap"
	"github.com/Azure/karpenter-provider-azure/pkg/providers/imagefamily/customscriptsbootstrap"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
)

// The server under test judges callers in its own way; here any token does.
type anyToken struct{}

func (anyToken) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "any"}, nil
}

func main() {
	server := flag.String("server", "", "host:port")
	subscription := flag.String("subscription", "", "")
	group := flag.String("resource-group", "", "of the cluster")
	cluster := flag.String("cluster", "", "")
	subnet := flag.String("subnet", "", "ID of the subnet")
	distro := flag.String("distro", "aks-ubuntu-containerd-22.04-gen2", "")
	version := flag.String("version", "1.34.2", "of Kubernetes")
	token := flag.String("token", "abcdef.0123456789abcdef", "the bootstrap token to fill in")
	flag.Parse()
	if err := ask(*server, *subscription, *group, *cluster, *subnet, *distro, *version, *token); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ask(server, subscription, group, cluster, subnet, distro, version, token string) error {
	ctx := options.ToContext(context.Background(), &options.Options{VMMemoryOverheadPercent: 0.075})
	client, err := imagefamily.NewNodeBootstrappingClient(ctx, cloud.AzurePublic, subscription, group, cluster, anyToken{}, server, false)
	if err != nil {
		return err
	}
	policyStatic := "static"
	bootstrapper := customscriptsbootstrap.ProvisionClientBootstrap{
		ClusterName:   cluster,
		KubeletConfig: &bootstrap.KubeletConfiguration{MaxPods: 110},
		Taints:        []corev1.Taint{{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule}},
		StartupTaints: []corev1.Taint{{Key: "karpenter.sh/unregistered", Effect: corev1.TaintEffectNoExecute}},
		Labels: map[string]string{
			"kubernetes.azure.com/mode":   "user",
			"karpenter.sh/nodepool":       "default",
			"karpenter.sh/capacity-type":  "on-demand",
			"topology.kubernetes.io/zone": "eastus-1",
		},
		SubnetID:                       subnet,
		Arch:                           "amd64",
		SubscriptionID:                 subscription,
		ResourceGroup:                  "MC_" + group,
		ClusterResourceGroup:           group,
		KubeletClientTLSBootstrapToken: token,
		KubernetesVersion:              version,
		ImageDistro:                    distro,
		InstanceType: &cloudprovider.InstanceType{
			Name: "Standard_D2s_v5",
			Capacity: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse("2"),
				corev1.ResourceMemory: resource.MustParse("7945689497"), // 8 GiB less 7.5 %
			},
		},
		StorageProfile:            "ManagedDisks",
		OSSKU:                     customscriptsbootstrap.ImageFamilyOSSKUUbuntu2204,
		NodeBootstrappingProvider: client,
	}
	bootstrapper.KubeletConfig.CPUManagerPolicy = &policyStatic
	customData, cse, err := bootstrapper.GetCustomDataAndCSE(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]string{"customData": customData, "cse": cse})
}
