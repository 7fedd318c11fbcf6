{{- define "sunup.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "sunup.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains (include "sunup.name" .) .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "sunup.name" .) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* Objects of the whole cluster: two releases in two namespaces must not share them. */ -}}
{{- define "sunup.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "sunup.fullname" .) | trunc 117 -}}
{{- end -}}

{{- define "sunup.selector" -}}
app.kubernetes.io/name: {{ include "sunup.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sunup.labels" -}}
{{ include "sunup.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- end -}}

{{- define "sunup.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "sunup.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.name is required if serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "sunup.image" -}}
{{- $repository := required "image.repository is required: where the image was pushed" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* What all containers have in common. */ -}}
{{- define "sunup.container" -}}
livenessProbe:
  httpGet: {path: /healthz, port: {{ .port }}, scheme: {{ .scheme }}}
  periodSeconds: 10
  timeoutSeconds: 3
readinessProbe:
  httpGet: {path: /readyz, port: {{ .port }}, scheme: {{ .scheme }}}
  periodSeconds: 3
  timeoutSeconds: 3
lifecycle:
  preStop:
    sleep: {seconds: {{ .Values.drainSeconds }}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- with .Values.resources }}
resources: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The limits of all containers. */ -}}
{{- define "sunup.limits" -}}
{{- with .Values.workers }}
- {{ printf "--workers=%d" (int .) }}
{{- end }}
- {{ printf "--body-mebibytes=%d" (int .Values.bodyMemoryMiB) }}
{{- end -}}

{{- /* The arguments and the mounts of all containers that make custom data. */ -}}
{{- define "sunup.nodeArguments" -}}
{{- with .Values.results.url }}
- {{ printf "--results-url=%s" . | quote }}
{{- end }}
{{- if .Values.results.caSecretName }}
- --results-ca=/etc/sunup/results-ca/ca.crt
{{- end }}
{{- if .Values.imageVersions }}
- --image-versions=/etc/sunup/image-versions/image-versions.json
{{- end }}
{{- end -}}

{{- define "sunup.nodeMounts" -}}
{{- if .Values.results.caSecretName }}
- {name: results-ca, mountPath: /etc/sunup/results-ca, readOnly: true}
{{- end }}
{{- if .Values.imageVersions }}
- {name: image-versions, mountPath: /etc/sunup/image-versions, readOnly: true}
{{- end }}
{{- end -}}
