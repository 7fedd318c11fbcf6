#!/bin/sh
exec /opt/azure/containers/aks-node-controller kubelet-prestart
