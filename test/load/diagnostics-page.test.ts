import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createActions } from '../../src/actions/index.ts'
import { diagnosticRules } from '../../src/load/diagnostic.ts'
import { loadRunbook } from '../../src/load/index.ts'

const actions = createActions([], { commands: { local: true, ssh: ['*.prod.example'] } })
const page = readFileSync(new URL('../../docs/diagnostics.md', import.meta.url), 'utf8')
const head = 'apiVersion: opsbook/v1\nname: example\n'
const aStep = 'steps:\n  - { id: hello, uses: core/log, with: { message: hello } }\n'

const sections = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ code: text.slice(0, text.indexOf('\n')), text, prose: text.replaceAll(/\s+/g, ' ') }))

function exampleOf(text: string, kind: 'wrong' | 'right'): string {
  const [, whole, example = ''] =
    new RegExp(`^\`\`\`yaml ${kind}( whole)?\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text) ?? []
  if (whole !== undefined) return example
  return head + goOn(example) + (/^steps:/m.test(example) ? '' : aStep)
}

/** Writes out what `# and so on to x_5` stands for. */
function goOn(text: string): string {
  return text.replace(/^(.*?)(\w+)_1\b(.*?) # and so on to \w+_(\d+)\n/gm, (_, before, name, after, last) =>
    Array.from({ length: Number(last) }, (_, index) => `${before}${name}_${index + 1}${after}\n`).join(''),
  )
}

function readRunbook(path: string): string | undefined {
  if (path === 'collect.yaml') {
    return `${head}inputs: { type: object, required: [host], properties: { host: { type: string } } }\n${aStep}`
  }
  const level = Number(/^level-([2-6])\.yaml$/.exec(path)?.[1])
  if (level === 6) return head + aStep
  const next = `steps: [{ id: next, uses: core/run, with: { runbook: level-${level + 1}.yaml } }]\n`
  return level >= 2 ? head + next : undefined
}

const connectionTypes = { staging: 'service', github: 'http' } as const

function diagnose(runbook: string, code: string) {
  const notLoaded = code === 'ACTION_NOT_LOADED' ? ['./actions.mjs'] : []
  const hooks = { ci: {}, main: {} }
  const isOfConnections = code.endsWith('_CONNECTION')
  const connections = isOfConnections ? { connections: { types: connectionTypes } } : {}
  return loadRunbook(runbook, actions, {
    file: 'example.yaml',
    readRunbook,
    notLoaded,
    hooks,
    notifyNames: ['leads'],
    people: { groups: { leads: ['ada', 'bob'] }, trust: ['system-user'] },
    hasPublicUrl: code !== 'NO_PUBLIC_URL',
    ...connections,
  })
}

function codesOf(runbook: string, code: string): readonly string[] {
  const { diagnostics } = diagnose(runbook, code)
  return [...new Set(diagnostics.map(({ code }) => code))]
}

describe('docs/diagnostics.md', () => {
  it('has one section for each code, in the order of the table', () => {
    expect(sections.map(({ code }) => code)).toEqual(Object.keys(diagnosticRules))
  })

  it.each(sections)('$code: says what the table says', ({ code, prose }) => {
    expect(prose).toContain(diagnosticRules[code as keyof typeof diagnosticRules])
  })

  it.each(sections)('$code: the wrong example gives this code and no other', ({ code, text }) => {
    expect(codesOf(exampleOf(text, 'wrong'), code)).toEqual([code])
  })

  it.each(sections)('$code: the right example gives none', ({ code, text }) => {
    expect(codesOf(exampleOf(text, 'right'), code)).toEqual([])
  })

  it.each(sections)('$code: is a warning where its text says warning', ({ code, text, prose }) => {
    const { diagnostics } = diagnose(exampleOf(text, 'wrong'), code)
    const [found] = diagnostics.filter((one) => one.code === code)
    expect(found?.severity).toBe(prose.includes(' A warning.') ? 'warning' : 'error')
  })
})
