import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { selfSigned } from '../api/self-signed.ts'
import type { HttpStandIn } from './http-stand-in.ts'

const page = readFileSync(new URL('../../docs/runbooks.md', import.meta.url), 'utf8')

/** What the page of the shipped runbooks says about one of them. */
export function sectionOf(name: string): string {
  const [, section = ''] = page.split(`\n## ${name}\n`)
  return section.split('\n## ')[0] ?? ''
}

/** The words of each command in a text, without `opsbook`; single quotes hold one together. */
export function commandsOf(text: string): readonly (readonly string[])[] {
  const lines = text.replaceAll(/\\\n */g, '').matchAll(/^\$ opsbook (.*)$/gm)
  return [...lines].map(([, line = '']) =>
    [...line.matchAll(/(?:'[^']*'|\S)+/g)].map(([word]) => word.replaceAll("'", '')),
  )
}

/** What a runbook that talks to other systems needs, as its page shows it. */
export interface ShownConfiguration {
  readonly files: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
}

/** The `opsbook.yaml` of a section with the addresses of a stand-in, the files and the variables that it names. */
export function configurationOf(section: string, standIn: Pick<HttpStandIn, 'address'>): ShownConfiguration {
  const [, yaml = ''] = section.match(/```yaml\n(# opsbook\.yaml\n[\s\S]*?)```/) ?? []
  const configuration = (parse(yaml) ?? {}) as { connections?: Record<string, HttpConnectionShown> }
  const connections = Object.entries(configuration.connections ?? {}).map(([name, connection]) => {
    const { pathname } = new URL(connection['base-url'])
    const address = standIn.address(name, connection.tls !== undefined) + pathname.replace(/\/$/, '')
    return [name, { ...connection, 'base-url': address }]
  })
  const references = [...yaml.matchAll(/\b(env|file):([\w./-]+)/g)].map(([, kind, name = '']) => ({
    kind,
    name,
  }))
  const files = references.filter(({ kind }) => kind === 'file').map(({ name }) => [name, selfSigned.cert])
  const env = references.filter(({ kind }) => kind === 'env').map(({ name }) => [name, `secret-of-${name}`])
  const shown = JSON.stringify({ ...configuration, connections: Object.fromEntries(connections) })
  return {
    files: { ...Object.fromEntries(files), ...(yaml === '' ? {} : { 'opsbook.yaml': shown }) },
    env: Object.fromEntries(env),
  }
}

interface HttpConnectionShown {
  readonly 'base-url': string
  readonly tls?: object
}
