export { builtinInputProblems } from './check-builtin-input.ts'
export { builtinActions } from './definitions.ts'
