import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import { checkInputs } from '../../load/index.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** The inputs with their defaults. Inputs that do not fit end the command. */
export function checkRunInputs(plan: Plan, given: JsonObject): JsonObject {
  const { inputs, problems } = checkInputs(plan, given)
  if (problems.length === 0) return inputs
  throw new CommandError(exitCodes.usage, `the inputs do not fit ${plan.name}; nothing was sent`, {
    hints: [...problems.map(({ path, message }) => withPlace(path, message)), ...describeInputs(plan)],
  })
}

/** A message that calls the value by its last name only gets the whole path, and none is told a path twice. */
function withPlace(path: string, message: string): string {
  if (path === '' || message.includes(`"${path}"`) || message.startsWith(`${path} `)) return message
  const [quoted, name] = /^"(.*?)"(?= )/.exec(message) ?? []
  const isLast = quoted !== undefined && (path.endsWith(`.${name}`) || path.endsWith(`[${name}]`))
  return isLast ? path + message.slice(quoted.length) : `${path}: ${message}`
}

/** One line for what the runbook takes. */
function describeInputs({ inputs }: Plan): readonly string[] {
  const properties = Object.keys((inputs?.['properties'] as object | undefined) ?? {})
  if (properties.length === 0) return ['the runbook takes no inputs']
  const required = (inputs?.['required'] as readonly string[] | undefined) ?? []
  const names = properties.map((name) => (required.includes(name) ? `${name} (required)` : name))
  return [`inputs: ${names.join(', ')}; give them with --input name=value or --inputs-file`]
}
