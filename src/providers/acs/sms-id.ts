/** Returns the id of an SMS: its direction, the second at which it was sent, and its UUID. */
export function smsIdOf(direction: "Outgoing" | "Incoming", uuid: string, at: number): string {
  const second = new Date(at).toISOString().replaceAll(/\D/g, "").slice(0, 14);
  return `${direction}_${second}${uuid}`;
}
