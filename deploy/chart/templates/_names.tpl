{{/* The release's name, short enough for `-gateway-metrics` to follow. */}}
{{- define "prickle.name" -}}
{{- .Release.Name | trunc 45 | trimSuffix "-" -}}
{{- end -}}

{{/* What tells the pods of a part from all others; given [root, component]. */}}
{{- define "prickle.selector" -}}
app.kubernetes.io/name: prickle
app.kubernetes.io/instance: {{ include "prickle.name" (index . 0) }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "prickle.labels" -}}
{{ include "prickle.selector" . }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end -}}

{{/* The pods of the five services; given root. */}}
{{- define "prickle.services" -}}
matchLabels:
  app.kubernetes.io/name: prickle
  app.kubernetes.io/instance: {{ include "prickle.name" . }}
matchExpressions:
  - {key: app.kubernetes.io/component, operator: In, values: [gateway, rooms, tasks, pulse, runs]}
{{- end -}}

{{/* The chosen image; given [root, image of the part]. */}}
{{- define "prickle.image" -}}
{{- $root := index . 0 -}}
{{- $own := index . 1 -}}
{{- $repository := $own.repository | default $root.Values.image.repository -}}
{{- if $own.digest -}}
{{- printf "%s@%s" $repository $own.digest -}}
{{- else if $own.tag -}}
{{- printf "%s:%s" $repository $own.tag -}}
{{- else if $root.Values.image.digest -}}
{{- printf "%s@%s" $repository $root.Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository ($root.Values.image.tag | default $root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "prickle.publicUrl" -}}
{{- .Values.gateway.publicUrl | default (printf "https://%s" (first .Values.gateway.hosts)) -}}
{{- end -}}
