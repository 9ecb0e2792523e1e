/** Snippets that configure an application to send to a server. */
import { isLoopbackHost, type Snippet } from "./snippet.ts";

/** Returns code for Go. */
function goCode({ host, port, user, password, address }: SmtpValues): string {
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
function pythonCode({ host, port, user, password, address }: SmtpValues): string {
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
function wordpressCode({ host, port, user, password }: SmtpValues): string {
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
function supabaseCode({ host, port, user, password }: SmtpValues): string {
  return `[auth.email.smtp]
enabled = true
host = "${isLoopbackHost(host) ? "host.docker.internal" : host}"
port = ${port.toString()}
user = "${user}"
pass = "${password}"
admin_email = "app@example.com"`;
}

/** Returns the part of an exported realm of Keycloak. */
function keycloakCode({ host, port, user, password }: SmtpValues): string {
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
function variablesCode({ host, port, user, password }: SmtpValues): string {
  return `SMTP_HOST=${host}
SMTP_PORT=${port.toString()}
SMTP_USER=${user}
SMTP_PASSWORD=${password}
SMTP_SECURE=false
SMTP_FROM=app@example.com
SMTP_URL=smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port.toString()}`;
}

/** Returns settings for common frameworks, and for products whose mail is configured. */
export function sendingSnippets(values: SmtpValues): readonly Snippet[] {
  return [
    curlSnippet(values),
    { name: "nodemailer", file: "mail.ts", code: nodemailer(values) },
    { name: "Rails", file: "config/environments/development.rb", code: rails(values) },
    { name: "Django", file: "settings.py", code: django(values) },
    { name: "Laravel", file: ".env", code: laravel(values) },
    { name: "Symfony", file: ".env.local", code: symfony(values) },
    { name: "Spring", file: "application.properties", code: spring(values) },
    { name: ".NET", file: "Mail.cs", code: dotnet(values) },
    { name: "Go", file: "mail.go", code: goCode(values) },
    { name: "PHP", file: "mail.php", code: php(values) },
    { name: "Python", file: "mail.py", code: pythonCode(values) },
    { name: "WordPress", file: "wp-content/mu-plugins/restante.php", code: wordpressCode(values) },
    { name: "Supabase", file: "supabase/config.toml", code: supabaseCode(values) },
    { name: "Keycloak", file: "realm.json", code: keycloakCode(values) },
    { name: "Variables", file: ".env", code: variablesCode(values) },
  ];
}

/** Returns a command that sends an email with a code to the server. */
function curlSnippet({ host, port, address }: Pick<SmtpValues, "host" | "port" | "address">): Snippet {
  const code = `printf 'Subject: Hello\\r\\n\\r\\nYour code is 804 219\\r\\n' |
  curl smtp://${host}:${port.toString()} --mail-from app@example.com --mail-rcpt ${address} -T -`;
  return { name: "Shell", file: "Terminal", code };
}

function nodemailer({ host, port, user, password }: SmtpValues): string {
  return `import nodemailer from "nodemailer";

const mail = nodemailer.createTransport({
  host: "${host}",
  port: ${port.toString()},
  secure: false,
  tls: { rejectUnauthorized: false },
  auth: { user: "${user}", pass: "${password}" },
});`;
}

function rails({ host, port, user, password }: SmtpValues): string {
  return `config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = {
  address: "${host}",
  port: ${port.toString()},
  user_name: "${user}",
  password: "${password}",
  authentication: :plain,
  openssl_verify_mode: "none",
}`;
}

function django({ host, port, user, password }: SmtpValues): string {
  return `EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = "${host}"
EMAIL_PORT = ${port.toString()}
EMAIL_HOST_USER = "${user}"
EMAIL_HOST_PASSWORD = "${password}"
EMAIL_USE_TLS = False`;
}

function laravel({ host, port, user, password }: SmtpValues): string {
  return `MAIL_MAILER=smtp
MAIL_HOST=${host}
MAIL_PORT=${port.toString()}
MAIL_USERNAME=${user}
MAIL_PASSWORD="${password}"
MAIL_SCHEME=null
# Up to Laravel 10, instead of MAIL_SCHEME:
# MAIL_ENCRYPTION=null`;
}

function symfony({ host, port, user, password }: SmtpValues): string {
  const authority = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port.toString()}`;
  return `MAILER_DSN="smtp://${authority}?verify_peer=0"`;
}

function spring({ host, port, user, password }: SmtpValues): string {
  return `spring.mail.host=${host}
spring.mail.port=${port.toString()}
spring.mail.username=${user}
spring.mail.password=${password}
spring.mail.properties.mail.smtp.auth=true
spring.mail.properties.mail.smtp.starttls.enable=false`;
}

function dotnet({ host, port, user, password }: SmtpValues): string {
  return `using System.Net;
using System.Net.Mail;

using var mail = new SmtpClient("${host}", ${port.toString()})
{
    Credentials = new NetworkCredential("${user}", "${password}"),
};`;
}

function php({ host, port, user, password }: SmtpValues): string {
  return `use PHPMailer\\PHPMailer\\PHPMailer;

$mail = new PHPMailer(true);
$mail->isSMTP();
$mail->Host = '${host}';
$mail->Port = ${port.toString()};
$mail->SMTPAutoTLS = false;
$mail->SMTPAuth = true;
$mail->Username = '${user}';
$mail->Password = '${password}';`;
}

/** SMTP address, and credentials that direct all email to one server whatever its recipients. */
interface SmtpValues {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** An address of the server. */
  readonly address: string;
}
