import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'

const root = new URL('../../', import.meta.url)

/** A service of docker-compose.yml, as far as anybody here asks. */
export interface ComposeService {
  readonly image: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment: Readonly<Record<string, string | number>>
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: {
    readonly test: readonly string[]
    readonly interval: string
    readonly timeout: string
    readonly retries: number
    readonly start_period: string
  }
  readonly restart: string
  readonly stop_grace_period?: string
}

/** docker-compose.yml. */
export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, null>>
}

/** What .env.example sets. */
export function readSettings(): Readonly<Record<string, string>> {
  const entries = Object.entries(parseEnv(readFileSync(new URL('.env.example', root), 'utf8')))
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']))
}

/** The file as it is written, with nothing filled in. */
export function readTemplate(): ComposeFile {
  return parse(readFileSync(new URL('docker-compose.yml', root), 'utf8')) as ComposeFile
}

/** The file with these settings filled in, as Compose does it. Throws what the file says of a setting that is missing. */
export function readCompose(settings: Readonly<Record<string, string>>): ComposeFile {
  return fillAll(readTemplate(), settings) as ComposeFile
}

function fillAll(value: unknown, settings: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return fill(value, settings)
  if (Array.isArray(value)) return value.map((item) => fillAll(item, settings))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, settings)]))
}

/** A setting in a text: `${NAME}`, `${NAME:-default}` or `${NAME:?what is missing}`; `$$` is a dollar. */
export const place: RegExp = /\$\$|\$\{(?<name>\w+)(?::(?<kind>[-?])(?<rest>[^}]*))?\}/g

function fill(text: string, settings: Readonly<Record<string, string>>): string {
  return text.replace(place, (found, name: string | undefined, kind: string, rest: string) => {
    if (name === undefined) return found.slice(1)
    const value = settings[name]
    if (value) return value
    if (kind === '?') throw new Error(`${name} ${rest}`)
    return rest ?? ''
  })
}
