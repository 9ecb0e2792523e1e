/** White JPEG of 180 × 120 pixels: one grey component, whose blocks after the first one are all equal to it. */
export const blankThumbnail: Uint8Array = Buffer.from(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI" +
    "CAgICAgICAgICAgICAj/wAALCAB4ALQBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oA" +
    "CAEBAAA/AL+" +
    "A".repeat(114) +
    "D//2Q==",
  "base64",
);
