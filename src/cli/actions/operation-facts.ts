import { operations, type RateLimit } from '../../api/operations/index.ts'

/** What only actions of the service have. */
interface OperationFacts {
  readonly name: string
  readonly id: string
  readonly limit: RateLimit
  readonly permission: string
}

const facts: readonly OperationFacts[] = Object.values(operations)

export function operationFacts(action: string): OperationFacts | undefined {
  return facts.find(({ name }) => name === action)
}

export function limitOf(action: string): RateLimit | undefined {
  return operationFacts(action)?.limit
}
