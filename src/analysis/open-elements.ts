/**
 * Stack of open elements (HTML Standard §13.2.4.2), as far as it decides which text is hidden: mail omits end tags,
 * adds stray ones and misnests them, and a hidden cell must not hide the rest of the mail.
 */
import { elementNameCountMax, openElementCountMax } from "./bounds.ts";
import { type ElementKind, type ImpliedEnd, kindOf, knownNameCount, unknownKind } from "./element-kinds.ts";
import type { Visibility } from "./visibility.ts";

interface OpenElement {
  kind: ElementKind;
  hides: boolean;
  /** True if text outside of this element has font size zero. */
  tinyOutside: boolean;
  /** Position of the open element of the same name that this one covers; -1 if there is none. */
  covered: number;
  /** Position of the innermost table cell or similar outside of this one; -1 if there is none. */
  wall: number;
}

/** Kind of elements whose name is one too many. */
const untracked: ElementKind = unknownKind(-1);
const noneOpen: readonly number[] = Array.from({ length: knownNameCount }, () => -1);

/** Applies start and end tags in amortised constant time each. */
export class OpenElements {
  // The open elements are the first `count`; the others are kept to be used again.
  private readonly stack: OpenElement[] = [];
  private count = 0;
  /** Position of the innermost open element of each kind; -1 if there is none. */
  private readonly innermost = noneOpen.slice();
  private readonly unknown = new Map<string, ElementKind>();
  private wall = -1;
  private hiding = 0;
  private tiny = false;

  /** True if text at this point is hidden. */
  get hidden(): boolean {
    return this.tiny || this.hiding > 0;
  }

  /** Returns the kind of the element. */
  open(name: string, visibility: Visibility): ElementKind {
    const kind = this.kindOf(name) ?? this.add(name);
    if (kind.impliedEnd !== null) this.applyImpliedEnd(kind.impliedEnd);
    if (kind.isVoid || kind === untracked || this.count >= openElementCountMax) return kind;
    this.push(kind, kind.isNeverShown || visibility === "hidden");
    if (visibility === "tiny") this.tiny = true;
    else if (visibility === "sized") this.tiny = false;
    return kind;
  }

  /** Ends the innermost element of this name and all inside of it; a stray end tag has no effect. Returns its kind. */
  close(name: string): ElementKind {
    const kind = this.kindOf(name);
    if (kind === undefined) return untracked;
    const position = this.innermostOf(kind.index);
    if (position >= 0 && (position >= this.wall || kind.isTablePart)) this.truncate(position);
    return kind;
  }

  private kindOf(name: string): ElementKind | undefined {
    return kindOf(name) ?? this.unknown.get(name);
  }

  /** Starts tracking a name that is not one of HTML, up to the limit. */
  private add(name: string): ElementKind {
    if (this.unknown.size >= elementNameCountMax) return untracked;
    const kind = unknownKind(this.innermost.length);
    this.innermost.push(-1);
    this.unknown.set(name, kind);
    return kind;
  }

  private push(kind: ElementKind, hides: boolean): void {
    const { count: position, tiny: tinyOutside, wall } = this;
    const covered = this.innermostOf(kind.index);
    const element = this.stack[position];
    if (element === undefined) {
      this.stack.push({ kind, hides, tinyOutside, covered, wall });
    } else {
      element.kind = kind;
      element.hides = hides;
      element.tinyOutside = tinyOutside;
      element.covered = covered;
      element.wall = wall;
    }
    this.count++;
    this.innermost[kind.index] = position;
    if (kind.isWall) this.wall = position;
    if (hides) this.hiding++;
  }

  private applyImpliedEnd({ ends, within }: ImpliedEnd): void {
    const end = this.innermostAmong(ends);
    if (end >= 0 && end > this.innermostAmong(within)) this.truncate(end);
  }

  private truncate(count: number): void {
    while (this.count > count) {
      const element = this.stack[--this.count];
      if (element === undefined) return;
      this.innermost[element.kind.index] = element.covered;
      this.wall = element.wall;
      this.tiny = element.tinyOutside;
      if (element.hides) this.hiding--;
    }
  }

  private innermostAmong(indexes: readonly number[]): number {
    let innermost = -1;
    for (const index of indexes) innermost = Math.max(innermost, this.innermostOf(index));
    return innermost;
  }

  private innermostOf(index: number): number {
    return this.innermost[index] ?? -1;
  }
}
