{{/* What the migration needs is there before it, and gone when it has succeeded. */}}
{{- define "prickle.beforeMigration" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: "-1"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{/* The pod that brings schemas and tables up to the image; given root. */}}
{{- define "prickle.migration" -}}
{{- include "prickle.pod" (list . (printf "%s-migration" (include "prickle.name" .))) }}
restartPolicy: Never
containers:
  - name: migration
    image: {{ include "prickle.image" (list . dict) }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    args: [migrate]
    {{- include "prickle.container" . | nindent 4 }}
    resources:
      {{- toYaml .Values.migration.resources | nindent 6 }}
volumes:
  {{- include "prickle.tmp" . | nindent 2 }}
  - name: secrets
    secret:
      secretName: {{ .Values.migration.secret }}
      defaultMode: 0440
      items:
        - {key: prickle_database_url, path: prickle_database_url}
{{- end -}}
