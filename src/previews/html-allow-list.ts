/** HTML that a rendered mail may contain. Anything else is removed; the text in it is kept. */

/** Elements of HTML that only affect layout or presentation. */
const htmlElements =
  "html head body title style meta " +
  "a abbr acronym address article aside b bdi bdo big blink blockquote br caption center cite code col colgroup dd del " +
  "details dfn dialog dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd " +
  "label legend li listing main map area mark marquee menu meter nav nobr ol optgroup option output p picture source pre " +
  "progress q rb rp rt rtc ruby s samp search section select button input textarea small span strike strong sub summary sup " +
  "table tbody td tfoot th thead time tr track tt u ul var wbr video audio";
/** Elements of SVG except those that load, embed or animate. */
const svgElements =
  "svg g path rect circle ellipse line polyline polygon text tspan textpath defs symbol use lineargradient radialgradient " +
  "stop clippath mask pattern marker switch filter feblend fecolormatrix fecomponenttransfer fecomposite fedropshadow " +
  "feflood fefunca fefuncb fefuncg fefuncr fegaussianblur femerge femergenode femorphology feoffset feturbulence";

/** Elements that are kept. */
export const shownElements: ReadonlySet<string> = new Set(`${htmlElements} ${svgElements}`.split(" "));

/** Elements that are removed with their content. */
export const hiddenElements: ReadonlySet<string> = new Set(["template"]);

/** Attributes without addresses, kept as they are. */
export const plainAttributes: ReadonlySet<string> = new Set(
  (
    "id class title dir lang role hidden translate align valign width height bgcolor color face size border bordercolor " +
    "cellpadding cellspacing colspan rowspan nowrap hspace vspace clear noshade compact type start value reversed char " +
    "charoff frame rules summary abbr scope headers span alt name label for placeholder disabled checked selected " +
    "multiple readonly maxlength rows cols wrap shape coords usemap open datetime text link vlink alink leftmargin topmargin " +
    "rightmargin bottommargin marginwidth marginheight media sizes loop muted controls min max low high optimum " +
    "direction behavior scrollamount scrolldelay " +
    "d x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy points transform viewbox preserveaspectratio xmlns version offset " +
    "gradientunits gradienttransform spreadmethod patternunits patterncontentunits patterntransform clippathunits " +
    "maskunits maskcontentunits markerunits markerwidth markerheight refx refy orient pathlength textlength lengthadjust " +
    "rotate in in2 result operator k1 k2 k3 k4 mode values stddeviation flood-opacity filterunits primitiveunits " +
    "tablevalues slope intercept amplitude exponent basefrequency numoctaves seed radius"
  ).split(" "),
);
/** Attributes for the browser itself or for CSS selectors. */
export const plainAttributePattern: RegExp = /^(?:aria|data)-[a-z0-9_-]{1,60}$/;

/** SVG attributes whose values are CSS. */
export const styleAttributes: ReadonlySet<string> = new Set(
  (
    "fill fill-opacity fill-rule stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin " +
    "stroke-miterlimit stroke-opacity stroke-width opacity stop-color stop-opacity clip-path clip-rule mask filter marker " +
    "marker-start marker-mid marker-end flood-color color-interpolation-filters font-family font-size font-style " +
    "font-weight text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift letter-spacing " +
    "word-spacing visibility display overflow vector-effect shape-rendering paint-order"
  ).split(" "),
);

/** Elements whose `href` may only name a part of the page. */
export const localReferences: ReadonlySet<string> = new Set(
  "use lineargradient radialgradient pattern textpath".split(" "),
);

/** Names of `meta` elements that only affect the layout. */
export const shownMeta: ReadonlySet<string> = new Set(
  "color-scheme supported-color-schemes viewport format-detection x-apple-disable-message-reformatting".split(" "),
);

/** Links that a reader may follow; nothing follows them automatically. */
export const followedLink: RegExp = /^(?:https?:\/\/|\/\/|mailto:|tel:|sms:|smsto:|#)/i;
