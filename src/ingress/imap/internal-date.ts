const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns an instant in milliseconds since the Unix epoch as INTERNALDATE, in UTC and without quotes. */
export function internalDate(at: number): string {
  const date = new Date(at);
  const day = `${date.getUTCDate()}`.padStart(2, " ");
  const time = date.toISOString().slice(11, 19);
  return `${day}-${months[date.getUTCMonth()] ?? ""}-${date.getUTCFullYear()} ${time} +0000`;
}
