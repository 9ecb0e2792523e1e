/** Tags of the OpenAPI document: the segment of the path below `/api`, with a description. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  messages: "List, search, wait for, read, create, send and delete messages.",
  events: "Follow the changes of a server as they happen.",
  files: "Download attachments, raw messages and previews.",
  servers: "Servers: isolated containers of messages with their own addresses.",
  analysis: "Spam analysis, deliverability report and lint of a message.",
  screenshots: "E-mail clients for previews.",
  previews: "E-mail clients for previews, as libraries before 2026 read them.",
  devices: "Virtual authenticators (TOTP).",
  usage: "Limits and use of the account.",
  keys: "API keys.",
  "verified-addresses": "Addresses outside the service that mail may be sent to.",
  "phone-numbers": "Phone numbers of servers.",
  sms: "Receive an SMS.",
  "approved-phrases": "Phrases that SMS replies may consist of.",
  status: "State of background tasks.",
  service: "Health, metrics and this document.",
};
