/**
 * Stack of open elements (HTML Standard §13.2.4.2), as far as it decides which text is hidden: mail omits end tags,
 * adds stray ones and misnests them, and a hidden cell must not hide the rest of the mail.
 */
import { elementNameCountMax, openElementCountMax } from "./bounds.ts";
import { type ElementKind, kindOf } from "./element-kinds.ts";
import type { Visibility } from "./visibility.ts";

interface OpenElement {
  name: Name;
  hides: boolean;
  /** True if text outside of this element has font size zero. */
  tinyOutside: boolean;
  /** Index of the open element of the same name that this one covers; -1 if there is none. */
  covered: number;
  /** Index of the innermost table cell or similar outside of this one; -1 if there is none. */
  wall: number;
}

/** Name that has occurred, so that it is looked up once per tag. */
interface Name {
  readonly kind: ElementKind;
  /** Index of the innermost open element of this name; -1 if there is none. */
  innermost: number;
  /** As {@link ImpliedEnd}; empty if a start tag of this name ends nothing. */
  ends: readonly Name[];
  within: readonly Name[];
}

const none: readonly Name[] = [];

/** Applies start and end tags in amortised constant time each. */
export class OpenElements {
  // The open elements are the first `count`; the others are kept to be used again.
  private readonly stack: OpenElement[] = [];
  private count = 0;
  private readonly names = new Map<string, Name>();
  private wall = -1;
  private hiding = 0;
  private tiny = false;

  /** True if text at this point is hidden. */
  get hidden(): boolean {
    return this.tiny || this.hiding > 0;
  }

  /** Returns the kind of the element. */
  open(written: string, visibility: Visibility): ElementKind {
    const name = this.names.get(written) ?? this.add(written);
    if (name === null) return kindOf(written);
    const { kind, ends, within } = name;
    if (ends.length > 0) this.applyImpliedEnd(ends, within);
    if (kind.isVoid || this.count >= openElementCountMax) return kind;
    this.push(name, kind.isNeverShown || visibility === "hidden");
    if (visibility === "tiny") this.tiny = true;
    else if (visibility === "sized") this.tiny = false;
    return kind;
  }

  /** Ends the innermost element of this name and all inside of it; a stray end tag has no effect. */
  close(written: string): ElementKind {
    const name = this.names.get(written);
    if (name === undefined) return kindOf(written);
    if (name.innermost >= 0 && (name.innermost >= this.wall || name.kind.isTablePart)) this.truncate(name.innermost);
    return name.kind;
  }

  /** Starts tracking a name; returns null at the limit. */
  private add(written: string): Name | null {
    return this.names.size < elementNameCountMax ? this.nameOf(written) : null;
  }

  private nameOf(written: string): Name {
    const known = this.names.get(written);
    if (known !== undefined) return known;
    const name: Name = { kind: kindOf(written), innermost: -1, ends: none, within: none };
    // Collected first, because elements of a name may end one another.
    this.names.set(written, name);
    const { impliedEnd } = name.kind;
    if (impliedEnd === null) return name;
    name.ends = impliedEnd.ends.map((other) => this.nameOf(other));
    name.within = impliedEnd.within.map((other) => this.nameOf(other));
    return name;
  }

  private push(name: Name, hides: boolean): void {
    const index = this.count++;
    const element = this.stack[index];
    if (element === undefined) {
      this.stack.push({ name, hides, tinyOutside: this.tiny, covered: name.innermost, wall: this.wall });
    } else {
      element.name = name;
      element.hides = hides;
      element.tinyOutside = this.tiny;
      element.covered = name.innermost;
      element.wall = this.wall;
    }
    name.innermost = index;
    if (name.kind.isWall) this.wall = index;
    if (hides) this.hiding++;
  }

  private applyImpliedEnd(ends: readonly Name[], within: readonly Name[]): void {
    const end = innermostOf(ends);
    if (end >= 0 && end > innermostOf(within)) this.truncate(end);
  }

  private truncate(count: number): void {
    while (this.count > count) {
      const element = this.stack[--this.count];
      if (element === undefined) return;
      element.name.innermost = element.covered;
      this.wall = element.wall;
      this.tiny = element.tinyOutside;
      if (element.hides) this.hiding--;
    }
  }
}

function innermostOf(names: readonly Name[]): number {
  let innermost = -1;
  for (const name of names) innermost = Math.max(innermost, name.innermost);
  return innermost;
}
