/**
 * Content with which frames of small messages are compressed, as if it preceded them: what most of them have in common, and what
 * makes up half of a short mail. Part of the file format: a frame is read with the dictionary it was written with, so this text
 * must not change. Frames without a dictionary are read with it too.
 */

const mail = [
  "Return-Path: <>",
  "Received: from localhost (localhost [127.0.0.1])\r\n\tby mail.example.com (Postfix) with ESMTPS id ; +0000 (UTC)",
  "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=; s=; t=; h=from:to:subject:date:message-id:mime-version; bh=; b=",
  "X-Mailer: ",
  "User-Agent: ",
  "List-Unsubscribe: <https://",
  "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
  "Reply-To: ",
  "Message-ID: <",
  "Date: Thu, 01 Jan 2026 00:00:00 +0000",
  "From: ",
  "To: ",
  "Cc: ",
  "Subject: ",
  "MIME-Version: 1.0",
  'Content-Type: multipart/alternative;\r\n boundary="--_NmP-"',
  'Content-Type: multipart/mixed; boundary="----=_Part_"',
  "",
  "--",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "Hello,",
  "",
  "--",
  "Content-Type: text/html; charset=utf-8",
  "Content-Transfer-Encoding: 7bit",
  'Content-Type: text/plain; charset="utf-8"',
  'Content-Type: text/html; charset="UTF-8"',
  "Content-Transfer-Encoding: 8bit",
  "Content-Transfer-Encoding: base64",
  'Content-Disposition: attachment; filename="',
  "",
  '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    '<title></title></head><body style="margin:0;padding:0"><table width="100%" cellpadding="0" cellspacing="0" border="0">' +
    '<tr><td align="center"><h1></h1><p>Hello,</p><p><a href="https://"></a></p></td></tr></table></body></html>',
  "",
].join("\r\n");

const contact = (email: string): string => `{"name":"","email":"${email}","phone":null}`;
const fields = [
  ["Received", "from localhost (localhost [127.0.0.1]) by mail.example.com (Postfix) with ESMTPS id "],
  ["DKIM-Signature", "v=1; a=rsa-sha256; c=relaxed/relaxed; d="],
  ["Reply-To", ""],
  ["X-Mailer", ""],
  ["From", ""],
  ["To", ""],
  ["Subject", ""],
  ["Date", "Thu, 01 Jan 2026 00:00:00 +0000"],
  ["Message-ID", "<"],
  ["MIME-Version", "1.0"],
  ["Content-Transfer-Encoding", "quoted-printable"],
  ["Content-Type", String.raw`multipart/alternative; boundary=\"`],
  ["Content-Type", "text/plain; charset=utf-8"],
];
const part = '[{"bodyStart":0,"bodyEnd":0,"transferEncoding":"identity","charset":null,"flow":"fixed"}]';
const bodyPart = '[{"bodyStart":0,"bodyEnd":0,"transferEncoding":"quoted-printable","charset":"utf-8","flow":"fixed"}]';

const detail =
  '{"glance":{"codes":null,"sizeBytes":1000,"inline":0,"files":[],"tags":[]},"message":{"id":"00000000-0000-8000-a000-000000000000",' +
  `"type":"Email","from":[${contact("no-reply@example.com")}],"to":[${contact("")}],"cc":[],"bcc":[${contact("")}],` +
  '"received":"2026-01-01T00:00:00.000Z","subject":"","html":null,"text":null,"attachments":[],"metadata":{"headers":[' +
  `${fields.map(([field, value]) => `{"field":"${field}","value":"${value}"}`).join(",")}],"ehlo":"localhost",` +
  `"mailFrom":"","rcptTo":[${contact("")}]},"server":"","defects":["missing_date"]},"htmlParts":${bodyPart},"htmlParts":[],` +
  `"textParts":${bodyPart},"textParts":${part},"parts":[],"session":{"ehlo":"localhost","clientAddress":"127.0.0.1","tls":null,` +
  String.raw`"authenticatedAs":null,"protocol":"ESMTP"},"transcript":"1800000000000@\n0<220 localhost ESMTP\n1>EHLO localhost` +
  ["250-localhost", "250-PIPELINING", "250-SIZE 52428800", "250-8BITMIME", "250-SMTPUTF8", "250-ENHANCEDSTATUSCODES"]
    .concat("250-DSN", "250-CHUNKING", "250 AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2 OAUTHBEARER")
    .map((line) => String.raw`\n1<${line}`)
    .join("") +
  String.raw`\n2>MAIL FROM:<no-reply@example.com>\n2<250 2.1.0 Ok\n3>RCPT TO:<\n3<250 2.1.5 Ok\n4>DATA\n4<354 End data with ` +
  String.raw`<CR><LF>.<CR><LF>\n5>[1000 bytes of message data]\n6<250 2.0.0 Ok: queued as 00000000-0000-8000-a000-000000000000\n"}`;

/** Dictionary of frames; without the header of a trained one, so that frames do not name it. */
export const dictionary: Buffer = Buffer.from(mail + detail);
