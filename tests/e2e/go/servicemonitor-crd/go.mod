module sunup/servicemonitor

go 1.24

require github.com/prometheus-operator/prometheus-operator v0.86.1
