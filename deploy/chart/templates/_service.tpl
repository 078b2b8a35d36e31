{{/* A service: Deployment, HorizontalPodAutoscaler, PodDisruptionBudget; given [root, name]. */}}
{{- define "prickle.service" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $service := mergeOverwrite (deepCopy $root.Values.defaults) (index $root.Values.services $name) -}}
{{- $metadata := printf "name: %s-%s\nlabels:\n%s" (include "prickle.name" $root) $name (include "prickle.labels" . | indent 2) -}}
{{- $gateway := eq $name "gateway" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- $metadata | nindent 2 }}
spec:
  {{- if not $service.autoscaling.enabled }}
  replicas: {{ $service.replicas }}
  {{- end }}
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: 0, maxSurge: 1}
  selector:
    matchLabels:
      {{- include "prickle.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "prickle.selector" . | nindent 8 }}
      {{- with $service.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "prickle.pod" (list $root (include "prickle.name" $root)) | nindent 6 }}
      terminationGracePeriodSeconds: {{ add $service.drainSeconds 15 (ternary $root.Values.gateway.preStopSeconds 0 $gateway) }}
      containers:
        - name: {{ $name }}
          image: {{ include "prickle.image" (list $root $service.image) }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [serve, {{ $name }}]
          {{- include "prickle.container" . | nindent 10 }}
          env:
            - {name: PRICKLE_HOST, value: "0.0.0.0"}
            - {name: PRICKLE_HEALTH_PORT, value: "8401"}
            - {name: PRICKLE_DATABASE_POOL, value: {{ $service.databasePool | quote }}}
            - {name: PRICKLE_DRAIN_SECONDS, value: {{ $service.drainSeconds | quote }}}
            {{- if $gateway }}
            {{- include "prickle.gatewaySettings" $root | nindent 12 }}
            {{- end }}
            {{- range $key, $value := $service.settings }}
            - {name: {{ $key }}, value: {{ $value | quote }}}
            {{- end }}
          ports:
            {{- if $gateway }}
            - {name: http, containerPort: 8400}
            {{- end }}
            - {name: health, containerPort: 8401}
          {{- include "prickle.probes" . | nindent 10 }}
          {{- if $gateway }}
          lifecycle:
            preStop:
              sleep: {seconds: {{ $root.Values.gateway.preStopSeconds }}}
          {{- end }}
          resources:
            {{- toYaml $service.resources | nindent 12 }}
      volumes:
        {{- include "prickle.tmp" . | nindent 8 }}
        {{- include "prickle.secrets" (list $root $name $service.secret) | nindent 8 }}
      topologySpreadConstraints:
        {{- include "prickle.spread" . | trim | nindent 8 }}
      {{- range $key := list "nodeSelector" "tolerations" "affinity" }}
      {{- with index $service $key }}
      {{ $key }}:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- $metadata | nindent 2 }}
spec:
  minAvailable: {{ $service.minAvailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "prickle.selector" . | nindent 6 }}
{{- if $service.autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- $metadata | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "prickle.name" $root }}-{{ $name }}
  minReplicas: {{ $service.autoscaling.minReplicas }}
  maxReplicas: {{ $service.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: {type: Utilization, averageUtilization: {{ $service.autoscaling.cpuPercent }}}
  behavior:
    scaleUp:
      stabilizationWindowSeconds: 0
      policies: [{type: Pods, value: 2, periodSeconds: 30}]
    scaleDown:
      stabilizationWindowSeconds: 300
      policies: [{type: Pods, value: 1, periodSeconds: 60}]
{{- end }}
{{- if $root.Values.serviceMonitor.enabled }}
---
{{ include "prickle.metrics" . }}
{{- end }}
{{- end -}}

{{/* What the gateway alone is told; given root. */}}
{{- define "prickle.gatewaySettings" -}}
{{- $hosts := list -}}
{{- range .Values.gateway.hosts }}
{{- $hosts = append $hosts (printf "%s:*" .) }}
{{- end -}}
- {name: PRICKLE_PORT, value: "8400"}
- {name: PRICKLE_PUBLIC_URL, value: {{ include "prickle.publicUrl" . | quote }}}
- {name: PRICKLE_ALLOWED_HOSTS, value: {{ $hosts | toJson | quote }}}
- {name: PRICKLE_ALLOWED_ORIGINS, value: {{ .Values.gateway.allowedOrigins | toJson | quote }}}
- {name: PRICKLE_OPERATOR_TOKEN_FILE, value: /run/secrets/operator_token}
{{- end -}}

{{/* Redis away: not ready, yet alive. */}}
{{- define "prickle.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: health}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: health}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: health}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}

{{/* The secrets of a service as files; given [root, name, secret]. */}}
{{- define "prickle.secrets" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ index . 2 }}
          items:
            - {key: prickle_redis_url, path: prickle_redis_url}
            - {key: prickle_database_url, path: prickle_database_url}
      {{- if eq (index . 1) "gateway" }}
      - secret:
          name: {{ (index . 0).Values.gateway.operatorSecret }}
          items:
            - {key: token, path: operator_token}
      {{- end }}
{{- end -}}

{{/* Where Prometheus finds the pods of a service, ready or not; given [root, name]. */}}
{{- define "prickle.metrics" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "prickle.name" (index . 0) }}-{{ index . 1 }}-metrics
  labels:
    {{- include "prickle.labels" . | nindent 4 }}
    prickle/metrics: "true"
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  ports:
    - {name: metrics, port: 8401, targetPort: health}
  selector:
    {{- include "prickle.selector" . | nindent 4 }}
{{- end -}}
