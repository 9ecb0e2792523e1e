/** Helpers of the templates. */

export function price(amount, { data: { root } }) {
  return new Intl.NumberFormat(root.language, { style: "currency", currency: "EUR" }).format(amount);
}

export function date(day, { data: { root } }) {
  return new Intl.DateTimeFormat(root.language, { dateStyle: "long", timeZone: "UTC" }).format(new Date(day));
}
