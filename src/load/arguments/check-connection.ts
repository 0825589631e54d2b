import type { ActionDescription } from '../../core/action.ts'
import { isJsonObject, type JsonPath } from '../../core/json.ts'
import { addressPathProblem, suggest } from '../../core/text/index.ts'
import type { CompileContext } from '../compile/context.ts'
import { splitSegments } from '../expressions/segments.ts'
import type { ConnectionType } from '../known-connections.ts'
import type { StepKeys } from '../runbook-document.ts'
import { hasUnknown } from './has-unknown.ts'

/** Checks which connection a step names, and where a request goes that takes one. */
export function checkConnection(
  context: CompileContext,
  action: ActionDescription,
  step: StepKeys,
  path: JsonPath,
): void {
  const { source } = context
  const { connection } = step
  const at = [...path, 'connection']
  const { isLocal, overHttp, usesNoConnection, name } = action
  const byDefault = context.document.defaults?.connection
  if (connection !== undefined) {
    const fixed = overHttp?.connection
    const noEffect =
      fixed !== undefined
        ? `${name} always uses the connection "${fixed}", so "connection" changes nothing`
        : usesNoConnection && !overHttp
          ? `${name} uses no connection, so "connection" changes nothing`
          : undefined
    if (noEffect !== undefined) source.warn('NO_EFFECT', { key: at }, noEffect)
    else checkName(context, connection, overHttp ? 'http' : 'service', at, name)
  } else if (byDefault !== undefined && !isLocal && connectionOf(action, step, byDefault) === byDefault) {
    const type = typeOf(context, byDefault)
    const needed = overHttp ? 'http' : 'service'
    if (type !== undefined && type !== needed)
      checkName(context, byDefault, needed, [...path, 'uses'], `by "defaults", ${name}`)
  }
  if (overHttp && overHttp.connection === undefined) checkTarget(context, action, step, path)
}

/** The connection of a call. The default of a runbook is for requests without an address, and for the service. */
export function connectionOf(
  { overHttp, usesNoConnection }: ActionDescription,
  step: StepKeys,
  byDefault: string | undefined,
): string | undefined {
  if (overHttp?.connection !== undefined) return overHttp.connection
  if (step.connection !== undefined) return overHttp || !usesNoConnection ? step.connection : undefined
  if (overHttp) return isJsonObject(step.with) && step.with['url'] !== undefined ? undefined : byDefault
  return usesNoConnection ? undefined : byDefault
}

/** Checks the name of the connection for all steps of a runbook that name none. Each step has a type that it needs. */
export function checkDefaultConnection(context: CompileContext): void {
  const { defaults } = context.document
  if (defaults?.connection === undefined) return
  checkName(context, defaults.connection, undefined, ['defaults', 'connection'], '"defaults"')
}

function typeOf({ children }: CompileContext, connection: string): ConnectionType | undefined {
  const types = children.family.connections?.types ?? {}
  return Object.hasOwn(types, connection) ? types[connection] : undefined
}

function checkName(
  context: CompileContext,
  connection: string,
  needed: ConnectionType | undefined,
  at: JsonPath,
  subject: string,
): void {
  const { source, children, namesNotChecked } = context
  const { connections } = children.family
  if (connections === undefined || connection.includes('${{')) return
  const { types, notComplete } = connections
  const type = typeOf(context, connection)
  if (type !== undefined && (needed === undefined || type === needed)) return
  if (type !== undefined) {
    const message =
      needed === 'http'
        ? `${subject} needs a connection of type http, and "${connection}" is one of the service`
        : `${subject} is for the service, and the connection "${connection}" is of type http`
    const others = Object.keys(types).filter((other) => types[other] === needed)
    const known = others.length === 0 ? 'there is none in opsbook.yaml' : `such as ${others.join(', ')}`
    source.add('WRONG_CONNECTION', at, message, known)
  } else if (notComplete === undefined) {
    const known = Object.keys(types)
    const message = `there is no connection "${connection}" in opsbook.yaml`
    const add = known.length === 0 ? 'add it under connections' : suggest(connection, known)
    source.add('UNKNOWN_CONNECTION', at, message, add)
  } else if (!namesNotChecked.has(connection)) {
    namesNotChecked.add(connection)
    const message = `not checked: the connection "${connection}"`
    source.warn('UNKNOWN_CONNECTION', at, message, notComplete)
  }
}

/** A request goes to its own address, or to a path below that of a connection. */
function checkTarget(
  { source, document }: CompileContext,
  action: ActionDescription,
  step: StepKeys,
  path: JsonPath,
): void {
  const given = step.with
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) return
  const values: Readonly<Record<string, unknown>> = (given ?? {}) as Readonly<Record<string, unknown>>
  const at = (key: string): JsonPath => [...path, 'with', key]
  const connection = connectionOf(action, step, document.defaults?.connection)
  if (connection === undefined) {
    if (values['path'] !== undefined && values['url'] === undefined) {
      const message = '"path" is a path below the address of a connection, and the step names none'
      source.add(
        'WRONG_ARGUMENT',
        { key: at('path') },
        message,
        'such as connection: github, or give the whole url',
      )
    } else if (values['url'] === undefined && !hasUnknown(action, values)) {
      const place = step.with === undefined ? path : [...path, 'with']
      const message = `${action.name} needs the argument "url", or a connection and "path"`
      source.add('MISSING_ARGUMENT', place, message)
    }
  } else if (values['url'] !== undefined) {
    const message = `the connection "${connection}" has the address, so "url" must be left out`
    source.add(
      'WRONG_ARGUMENT',
      { key: at('url') },
      message,
      'write what comes after the address as path: /…',
    )
  }
  checkPath(source, values['path'], at('path'))
}

/** A path with expressions in it, as far as it is written out. One that is whole is checked by the action. */
function checkPath(source: CompileContext['source'], path: unknown, at: JsonPath): void {
  if (typeof path !== 'string' || !path.includes('${{')) return
  const segments = splitSegments(path)
  if (segments.length < 2) return
  const problem = addressPathProblem(segments.map((one) => (one.kind === 'text' ? one.text : 'x')).join(''))
  if (problem !== undefined) source.add('WRONG_ARGUMENT', at, `"path" ${problem}`)
}
