/** Index of the held messages of a server in the order in which they become visible. */
export const heldOrder = `
create index scheduled_email_held_order on scheduled_email (server, send_at, id) where held_bytes is not null;
`;
