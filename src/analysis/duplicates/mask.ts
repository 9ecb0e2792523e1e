/** Character that stands for a masked value (U+FFFC OBJECT REPLACEMENT CHARACTER): neither a letter nor a digit. */
export const mask = "\uFFFC";
