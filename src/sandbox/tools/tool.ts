import type { SandboxHost } from '../hosts.ts'
import type { JsonObject } from '../json.ts'

/** Parameters of a tool: they have passed its schema. */
export interface Params {
  readonly [name: string]: unknown
}

/** Where and when a tool runs. */
export interface Scene {
  readonly host: SandboxHost
  /** Unix milliseconds of the sandbox's clock. */
  readonly atMs: number
  /** Numbers that follow from seed, host, tool and params. */
  random(): number
}

/** What a tool found out, or why it could not. */
export type ToolAnswer =
  | {
      readonly data: JsonObject
      readonly summary: string
      readonly truncated?: boolean
      /** How long the tool really takes. */
      readonly takesMs?: number
    }
  | { readonly code: string; readonly message: string; readonly takesMs?: number }

/** A diagnostic tool: what the catalog says of it, and how it makes up its result. */
export interface SandboxTool {
  readonly name: string
  readonly version: string
  readonly description: string
  /** JSON Schema of the params. */
  readonly input: JsonObject
  run(params: Params, scene: Scene): ToolAnswer
}

/** The schema of an object with these params and no others. */
export function parameters(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

export const noParameters: JsonObject = parameters({})

/** The schema of a count with a default. */
export function countField(initial: number, maximum: number, description: string): JsonObject {
  return { type: 'integer', minimum: 1, maximum, default: initial, description }
}

/** A whole number between the two, both included. */
export function between(random: () => number, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1))
}

/** A measured value: `digits` behind the point. */
export function measuredNumber(random: () => number, low: number, high: number, digits = 1): number {
  return Number((low + random() * (high - low)).toFixed(digits))
}

export function toolTimeText(ms: number): string {
  return new Date(ms).toISOString()
}

/** The first `limit` rows, and whether there were more. */
export function firstRows<Row>(
  rows: readonly Row[],
  limit: unknown,
): { readonly rows: readonly Row[]; readonly truncated: boolean } {
  const wanted = Number(limit)
  return { rows: rows.slice(0, wanted), truncated: rows.length > wanted }
}

/** Hosts that never answer: names that cannot exist, documentation addresses, hosts that are down. */
export function isUnreachable(name: string): boolean {
  return /(^|\.)(invalid|unreachable\.example)$|^down-01$|^(192\.0\.2|198\.51\.100|203\.0\.113)\./.test(name)
}
