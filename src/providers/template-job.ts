/** Templates that the service renders for providers. */

/** Template sources by name (`subject`, `html`, …), and the data for all of them. */
export interface TemplateJob {
  /**
   * `handlebars`; `strict-handlebars`, in which a variable without a value is an error; `filter-handlebars` and `merge-tags`
   * (`*|NAME|*`), the languages of Mailchimp; `mustache` with Postmark's additions; `jinja` as Brevo has it; `twig` as
   * MailerSend has it; `mjtl`, the language of Mailjet (`{{var:name:"default"}}`, the data are the variables);
   * `substitutions`, the language of SparkPost; `variables`: only `{{{NAME}}}`, as Resend has it.
   */
  readonly language:
    | "handlebars"
    | "strict-handlebars"
    | "filter-handlebars"
    | "merge-tags"
    | "mustache"
    | "jinja"
    | "twig"
    | "mjtl"
    | "substitutions"
    | "variables";
  /** Sources whose names start with `html` escape values for HTML, except in `merge-tags`, `mjtl` and `variables`. */
  readonly sources: Readonly<Record<string, string>>;
  readonly data: unknown;
}
