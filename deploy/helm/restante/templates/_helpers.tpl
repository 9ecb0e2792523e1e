{{- define "restante.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "restante.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "restante.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "restante.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "restante.selectorLabels" -}}
app.kubernetes.io/name: {{ include "restante.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "restante.labels" -}}
{{ include "restante.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (replace "+" "_" .Chart.Version) }}
{{- end -}}

{{- define "restante.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* "true" when the nodes share a database, else "". */}}
{{- define "restante.hasDatabase" -}}
{{- if or .Values.database.url .Values.database.existingSecret -}}true{{- end -}}
{{- end -}}

{{- define "restante.keySecretName" -}}
{{- .Values.keys.existingSecret | default (printf "%s-keys" (include "restante.fullname" .)) -}}
{{- end -}}

{{- define "restante.databaseSecretName" -}}
{{- .Values.database.existingSecret | default (printf "%s-database" (include "restante.fullname" .)) -}}
{{- end -}}

{{/* Settings of the nodes: those of the chart, overridden by the values. */}}
{{- define "restante.settings" -}}
{{- $settings := dict -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $settings "RESTANTE_TLS_CERT" "/tls/tls.crt" -}}
{{- $_ := set $settings "RESTANTE_TLS_KEY" "/tls/tls.key" -}}
{{- else -}}
{{- $_ := set $settings "RESTANTE_HTTPS_PORT" "off" -}}
{{- $_ := set $settings "RESTANTE_SMTP_STARTTLS" "never" -}}
{{- end -}}
{{- if .Values.ingress.enabled -}}
{{- $scheme := ternary "https" "http" (not (empty .Values.ingress.tlsSecretName)) -}}
{{- $_ := set $settings "RESTANTE_PUBLIC_URL" (printf "%s://%s" $scheme .Values.ingress.host) -}}
{{- end -}}
{{- toYaml (merge (deepCopy .Values.settings) $settings) -}}
{{- end -}}

{{/* Ports of the listeners that are off by default, by name: those of the settings RESTANTE_<name>_PORT. */}}
{{- define "restante.furtherPorts" -}}
{{- $ports := dict -}}
{{- range $setting, $port := .Values.settings -}}
{{- $name := regexFind "^RESTANTE_[A-Z0-9]+_PORT$" $setting | trimPrefix "RESTANTE_" | trimSuffix "_PORT" -}}
{{- if and $name (ne $name "HTTPS") (ne $port "off") -}}
{{- $_ := set $ports (lower $name) (int $port) -}}
{{- end -}}
{{- end -}}
{{- toYaml $ports -}}
{{- end -}}

{{- define "restante.servesHttps" -}}
{{- if ne (get (include "restante.settings" . | fromYaml) "RESTANTE_HTTPS_PORT") "off" -}}true{{- end -}}
{{- end -}}

{{/* Pod of a node, for the StatefulSet and the Deployment. */}}
{{- define "restante.pod" -}}
metadata:
  labels:
    {{- include "restante.selectorLabels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/settings: {{ include "restante.settings" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  # 5 s until load balancers stop using the node, at most 15 s for a graceful stop, and 5 s of reserve.
  terminationGracePeriodSeconds: 25
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if include "restante.hasDatabase" . }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "restante.selectorLabels" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  containers:
    - name: restante
      image: {{ include "restante.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      envFrom:
        - configMapRef: { name: {{ include "restante.fullname" . }} }
        - secretRef: { name: {{ include "restante.keySecretName" . }} }
      {{- if or (include "restante.hasDatabase" .) .Values.extraEnv }}
      env:
        {{- if include "restante.hasDatabase" . }}
        - name: RESTANTE_DATABASE_URL
          valueFrom:
            secretKeyRef: { name: {{ include "restante.databaseSecretName" . }}, key: RESTANTE_DATABASE_URL }
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      ports:
        - { name: smtp, containerPort: 1025 }
        - { name: http, containerPort: 8025 }
        - { name: https, containerPort: 8443 }
        {{- range $name, $port := include "restante.furtherPorts" . | fromYaml }}
        - { name: {{ $name }}, containerPort: {{ $port }} }
        {{- end }}
      # The first start after an upgrade may migrate the schema: five minutes.
      startupProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 150
      # Longer than a failover of the database, during which senders get 451, clients 503, and waiting searches continue.
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 12
      # Does not depend on the database: restarting a node does not help during an outage.
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      lifecycle:
        preStop:
          sleep: { seconds: 5 }
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        {{- if .Values.tls.secretName }}
        - { name: tls, mountPath: /tls, readOnly: true }
        {{- end }}
  volumes:
    {{- if include "restante.hasDatabase" . }}
    # Contains no data: only the service file for commands.
    - name: data
      emptyDir: { sizeLimit: 16Mi }
    {{- end }}
    - name: tmp
      emptyDir: { sizeLimit: 64Mi }
    {{- if .Values.tls.secretName }}
    - name: tls
      secret: { secretName: {{ .Values.tls.secretName }}, defaultMode: 288 } # 0440
    {{- end }}
{{- end -}}
