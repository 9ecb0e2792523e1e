/** Code of snippets for languages without a framework, and for products that are configured to send mail. */
import { isLoopbackHost } from "./run-command.ts";
import type { SmtpValues } from "./smtp-values.ts";

/** Returns code for Go. */
export function goCode({ host, port, user, password, address }: SmtpValues): string {
  return `package mail

import "net/smtp"

// Send sends one email to restante.
func Send() error {
	auth := smtp.PlainAuth("", "${user}", "${password}", "${host}")
	body := []byte("From: app@example.com\\r\\nTo: ${address}\\r\\nSubject: Hello\\r\\n\\r\\nHello\\r\\n")
	return smtp.SendMail("${host}:${port.toString()}", auth, "app@example.com", []string{"${address}"}, body)
}`;
}

/** Returns code for Python's standard library. */
export function pythonCode({ host, port, user, password, address }: SmtpValues): string {
  return `import smtplib
from email.message import EmailMessage

mail = EmailMessage()
mail["From"] = "app@example.com"
mail["To"] = "${address}"
mail["Subject"] = "Hello"
mail.set_content("Hello")

with smtplib.SMTP("${host}", ${port.toString()}) as smtp:
    smtp.login("${user}", "${password}")
    smtp.send_message(mail)`;
}

/** Returns a plug-in of WordPress that is always active. */
export function wordpressCode({ host, port, user, password }: SmtpValues): string {
  return `<?php
add_filter('wp_mail_from', fn () => 'wordpress@example.com');
add_action('phpmailer_init', function ($mail) {
    $mail->isSMTP();
    $mail->Host = '${host}';
    $mail->Port = ${port.toString()};
    $mail->SMTPAutoTLS = false;
    $mail->SMTPAuth = true;
    $mail->Username = '${user}';
    $mail->Password = '${password}';
});`;
}

/** Returns settings of the Auth service of Supabase, which runs in a container. */
export function supabaseCode({ host, port, user, password }: SmtpValues): string {
  return `[auth.email.smtp]
enabled = true
host = "${isLoopbackHost(host) ? "host.docker.internal" : host}"
port = ${port.toString()}
user = "${user}"
pass = "${password}"
admin_email = "app@example.com"`;
}

/** Returns the part of an exported realm of Keycloak. */
export function keycloakCode({ host, port, user, password }: SmtpValues): string {
  const smtpServer = {
    host,
    port: port.toString(),
    from: "keycloak@example.com",
    ssl: "false",
    starttls: "false",
    auth: "true",
    user,
    password,
  };
  return JSON.stringify({ smtpServer }, null, 2);
}

/** Returns environment variables under common names. */
export function variablesCode({ host, port, user, password }: SmtpValues): string {
  return `SMTP_HOST=${host}
SMTP_PORT=${port.toString()}
SMTP_USER=${user}
SMTP_PASSWORD=${password}
SMTP_SECURE=false
SMTP_FROM=app@example.com
SMTP_URL=smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port.toString()}`;
}
