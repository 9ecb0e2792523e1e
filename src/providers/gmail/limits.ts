/** Largest mail, in bytes: https://gmail.googleapis.com/$discovery/rest?version=v1 */
export const mailBytesMax: number = 35 * 1024 * 1024;

/** Most recipients of a mail. */
export const recipientCountMax = 500;
