/** See the public types. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
  readonly code = "ERR_EXPRESSION";
  readonly option: string;
  readonly problem: Problem;
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly excerpt: string;

  constructor(option: string, message: string, place: { problem: Problem; line?: number; column?: number; offset?: number; excerpt?: string }) {
    super(message);
    this.option = option;
    this.problem = place.problem;
    this.line = place.line ?? 1;
    this.column = place.column ?? 1;
    this.offset = place.offset ?? 0;
    this.excerpt = place.excerpt ?? "";
  }
}

type Problem = "empty" | "too-long" | "too-deep" | "syntax" | "unknown-name" | "unknown-function" | "trap";
