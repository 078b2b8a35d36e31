{{/* How every pod runs; given [root, service account]. */}}
{{- define "prickle.pod" -}}
serviceAccountName: {{ index . 1 }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with (index . 0).Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{/* How every container runs. */}}
{{- define "prickle.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: secrets, mountPath: /run/secrets, readOnly: true}
  - {name: tmp, mountPath: /tmp}
{{- end -}}

{{/* Files a process writes and forgets. */}}
{{- define "prickle.tmp" -}}
- name: tmp
  emptyDir: {sizeLimit: 64Mi}
{{- end -}}

{{/* Replicas spread over zones and nodes where there are any; given [root, component]. */}}
{{- define "prickle.spread" -}}
{{- $given := . -}}
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- topologyKey: {{ $key }}
  maxSkew: 1
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "prickle.selector" $given | nindent 6 }}
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end -}}
