/** Sending quota of the account, which the service does not enforce. */

/** Quota as both versions of the API report it: of an account with production access. */
export const sendQuota = { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 0 } as const;
