/** Order of pending deliveries over all queues, so that queues without due deliveries need no visit. */
export const callbackDue = `
create index if not exists callback_delivery_due_at on callback_delivery (due_at, queue) where due_at is not null;
`;
