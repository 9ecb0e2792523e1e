# Prints which addresses validators of Ruby accept: one JSON object by name of the validator, then by address.
require "json"
require "uri"
require "active_model"
require "devise"
require "email_validator"

# Form of a sign-up with the gem email_validator in its default mode.
class SignUp
  include ActiveModel::Validations
  attr_accessor :email
  validates :email, email: true
end

validators = {
  "Ruby URI::MailTo::EMAIL_REGEXP" => ->(address) { address.match?(URI::MailTo::EMAIL_REGEXP) },
  "Devise email_regexp" => ->(address) { address.match?(Devise.email_regexp) },
  "email_validator" => ->(address) { SignUp.new.tap { |form| form.email = address }.valid? }
}
puts JSON.generate(validators.transform_values { |accepts| ARGV.to_h { |one| [one, accepts.call(one)] } })
