# Sends mail to the address of the argument by the host names of providers: with the library of Postmark and with Net::HTTP.
require "json"
require "net/http"
require "postmark"

to = ARGV[0]
Postmark::ApiClient.new("any").deliver(from: "a@shop.example", to: to, subject: "Ruby SDK", text_body: "x")

mail = { from: "a@shop.example", to: to, subject: "Ruby HTTP client", text: "x" }
header = { "Authorization" => "Bearer re_any", "Content-Type" => "application/json" }
puts Net::HTTP.post(URI("https://api.resend.com/emails"), mail.to_json, header).code
