export { type CheckProblem, checkExpression, type Names, nullProblem } from './check.ts'
export { checkConstants, truthOf } from './check-constants.ts'
export { evaluate } from './evaluate.ts'
export { expressionFunctions, functionOf, givesNull } from './functions.ts'
export { guardsOf, pathOf } from './guards.ts'
export {
  evaluateCondition,
  evaluateTemplate,
  type KnownScope,
  known,
  knownMap,
  templateEntriesOf,
  unknown,
} from './known.ts'
export { readPattern } from './pattern.ts'
export { formatReference, lookUp, type Reference, referencesIn, referencesOf } from './references.ts'
export { render } from './render.ts'
export { typeOfSchema } from './schema-type.ts'
export { templateSource } from './template-source.ts'
export type { BinaryOperator, Expression, ExpressionTree, Macro, SourceSpan, Template } from './tree.ts'
export {
  anyType,
  canBe,
  describeKinds,
  eitherOf,
  type Field,
  itemsOf,
  type Kind,
  kindOf,
  listOf,
  mapOf,
  nameKind,
  numberType,
  textType,
  type ValueType,
} from './value-type.ts'
