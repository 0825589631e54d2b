/** The functions an expression can call: one record each, for checking, evaluating and the reference. */
import { conversionFunctions } from './conversion-functions.ts'
import { encodingFunctions } from './encoding-functions.ts'
import type { ExpressionFunction } from './function.ts'
import { listFunctions } from './list-functions.ts'
import { numberFunctions } from './number-functions.ts'
import { patternFunctions } from './pattern-functions.ts'
import { textFunctions } from './text-functions.ts'
import { timeFunctions } from './time-functions.ts'
import type { ExpressionTree } from './tree.ts'

export type { ExpressionFunction } from './function.ts'

/** All functions, by the titles under which the reference lists them. */
export const functionGroups: Readonly<Record<string, readonly ExpressionFunction[]>> = {
  Text: textFunctions,
  Patterns: patternFunctions,
  Lists: listFunctions,
  Numbers: numberFunctions,
  Times: timeFunctions,
  Encoding: encodingFunctions,
  Conversion: conversionFunctions,
}

export const expressionFunctions: readonly ExpressionFunction[] = Object.values(functionGroups).flat()

const byName: ReadonlyMap<string, ExpressionFunction> = new Map(
  expressionFunctions.map((entry) => [entry.name, entry]),
)

/** The function of a name. */
export function functionOf(name: string): ExpressionFunction | undefined {
  return byName.get(name)
}

/** Whether a node calls a function that can give null, such as a pattern that finds nothing. */
export function givesNull(tree: ExpressionTree): boolean {
  const kinds = tree.kind === 'call' ? functionOf(tree.function)?.result.kinds : []
  return kinds === undefined || kinds.includes('null')
}
