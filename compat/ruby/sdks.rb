# frozen_string_literal: true

# Mail that applications send with the gem of Postmark, from Debian, as published. Writes a line for each scenario to SDK_REPORT;
# compat/sdks/record.ts verifies the messages.

require "base64"
require "json"
begin
  require "postmark"
rescue LoadError
  exit
end
require "uri"

URL = URI(ENV.fetch("RESTANTE_URL"))
CONTENT = (0..255).to_a.pack("C*")
SDK = "postmark #{Postmark::VERSION}"

CLIENT = Postmark::ApiClient.new(
  ENV.fetch("RESTANTE_API_KEY"), host: URL.host, port: URL.port, secure: false, path_prefix: "/providers/postmark/"
)

def mail(scenario, **changes)
  to = "postmark-#{scenario}@#{ENV.fetch('RESTANTE_SERVER')}.example"
  { from: "app@shop.example", to: to, subject: "Hello", html_body: "<p>482913</p>", **changes }
end

def file(name, type, **changes)
  { "Name" => name, "Content" => Base64.strict_encode64(CONTENT), "ContentType" => type, **changes }
end

def run(scenario)
  line = { provider: "postmark", sdk: SDK, scenario: scenario }
  begin
    yield
  rescue StandardError => error
    line[:error] = "#{error.class}: #{error.message}"[0, 300]
  end
  File.write(ENV.fetch("SDK_REPORT"), "#{line.to_json}\n", mode: "a")
end

run("attachment") { CLIENT.deliver(mail("attachment", attachments: [file("all.txt", "text/plain")])) }
run("inline") do
  image = file("logo.png", "image/png", "ContentID" => "cid:logo")
  CLIENT.deliver(mail("inline", html_body: '<img src="cid:logo" alt="">', attachments: [image]))
end
run("batch") { CLIENT.deliver_in_batches([mail("batch-1"), mail("batch-2")]) }
run("template") do
  CLIENT.create_template(name: "Welcome", alias: "welcome-ruby", subject: "Hello", html_body: "Hello {{name}}")
  mail = mail("template").slice(:from, :to)
  CLIENT.deliver_with_template(**mail, template_alias: "welcome-ruby", template_model: { "name" => "Ada" })
end
run("error") { CLIENT.deliver(mail("error", from: "nobody")) }
