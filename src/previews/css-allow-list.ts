/** CSS that a rendered mail may contain. Anything else is removed with its declaration or block. */

/** Functions allowed in values, selectors and at-rule preludes; none of them can load anything by itself. */
export const safeFunctions: ReadonlySet<string> = new Set(
  (
    "rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark device-cmyk " +
    "calc min max clamp round mod rem abs sign sqrt pow hypot var env attr counter counters symbols format local tech " +
    "linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient " +
    "repeating-conic-gradient -webkit-linear-gradient -webkit-radial-gradient -webkit-repeating-linear-gradient " +
    "-webkit-gradient -moz-linear-gradient -ms-linear-gradient -o-linear-gradient from to color-stop " +
    "matrix matrix3d translate translate3d translatex translatey translatez scale scale3d scalex scaley scalez " +
    "rotate rotate3d rotatex rotatey rotatez skew skewx skewy perspective " +
    "cubic-bezier steps linear blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia " +
    "repeat minmax fit-content rect inset xywh circle ellipse polygon path shape " +
    "not is where has matches -webkit-any -moz-any nth-child nth-last-child nth-of-type nth-last-of-type lang dir host " +
    "selector layer supports style"
  ).split(" "),
);

/** Functions whose strings are addresses of images. */
export const imageSetFunctions: ReadonlySet<string> = new Set(["image-set", "-webkit-image-set"]);

/** Functions that insert text from elsewhere, which must not become an address. */
export const substitutions: ReadonlySet<string> = new Set(["var", "attr", "env"]);

/** At-rules that may have a block. */
export const safeBlocks: ReadonlySet<string> = new Set(
  (
    "media supports font-face keyframes -webkit-keyframes -moz-keyframes -o-keyframes page layer container " +
    "counter-style font-feature-values starting-style"
  ).split(" "),
);
