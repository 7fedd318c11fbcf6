// The programs of a control plane in one binary, chosen by the name that it is called by: they share most of their
// code, and this takes one link step instead of four.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	programs := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": manager.NewControllerManagerCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
		"kubectl":                 kubectl.NewDefaultKubectlCommand,
	}
	program, known := programs[filepath.Base(os.Args[0])]
	if !known {
		fmt.Fprintln(os.Stderr, "call this by the name of a Kubernetes program, not", os.Args[0])
		os.Exit(2)
	}
	os.Exit(cli.Run(program()))
}
