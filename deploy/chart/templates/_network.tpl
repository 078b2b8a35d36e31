{{/* A rule of egress; given an entry of `network`. */}}
{{- define "prickle.to" -}}
- to:
    {{- toYaml .to | nindent 4 }}
  ports:
    {{- range .ports }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
{{- end -}}

{{/* Names are looked up by both protocols; given root. */}}
{{- define "prickle.dns" -}}
- to:
    {{- toYaml .Values.network.dns.to | nindent 4 }}
  ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
{{- end -}}
