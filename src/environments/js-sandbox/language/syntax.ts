/** The part of JavaScript that our functions are written in, as trees. */
export type Expression =
  | { readonly type: "value"; readonly value: number | string | boolean }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "list"; readonly items: readonly Expression[] }
  | { readonly type: "record"; readonly entries: readonly (readonly [string, Expression])[] }
  | { readonly type: "arrow"; readonly parameters: readonly string[]; readonly body: Expression; readonly tokens: readonly string[] }
  | { readonly type: "member"; readonly object: Expression; readonly property: string }
  | { readonly type: "index"; readonly object: Expression; readonly index: Expression }
  | { readonly type: "call"; readonly callee: Expression; readonly args: readonly Expression[] }
  | { readonly type: "negate" | "not"; readonly operand: Expression }
  | { readonly type: "update"; readonly name: string; readonly operator: string }
  | { readonly type: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly type: "choice"; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly type: "assign"; readonly name: string; readonly operator: string; readonly value: Expression };

export type Statement =
  | { readonly type: "declare"; readonly name: string; readonly constant: boolean; readonly value: Expression }
  | { readonly type: "expression"; readonly expression: Expression }
  | { readonly type: "return"; readonly value: Expression }
  | { readonly type: "block"; readonly body: readonly Statement[] }
  | { readonly type: "if"; readonly test: Expression; readonly yes: Statement; readonly no: Statement | null }
  | { readonly type: "while"; readonly test: Expression; readonly body: Statement }
  | { readonly type: "for"; readonly name: string; readonly start: Expression; readonly test: Expression; readonly step: Expression; readonly body: Statement }
  | { readonly type: "for-of"; readonly name: string; readonly of: Expression; readonly body: Statement };

export interface FunctionTree {
  readonly parameters: readonly string[];
  readonly body: readonly Statement[];
}
