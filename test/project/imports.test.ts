import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join('src', name))
const known = new Set(files)

/** What each file imports of the project; what it loads only when it is needed is not among `now`. */
const imports = new Map(files.map((file) => [file, importsOf(file)]))

describe('imports', () => {
  it('come into another module through an index, or through a file at the top of core', () => {
    const deep = files.flatMap((file) => {
      const { now, later } = imports.get(file) ?? { now: [], later: [] }
      const others = [...now, ...later].filter((to) => moduleOf(to) !== moduleOf(file) && !isEntryPoint(to))
      return others.map((to) => `${file} imports ${to}`)
    })

    expect(deep).toEqual([])
  })

  it('run in no circle but that of the interpreter over the tree of steps', () => {
    const circles = findCircles(new Map(files.map((file) => [file, imports.get(file)?.now ?? []])))

    expect(circles.filter((circle) => !circle.every(isOfTheInterpreter))).toEqual([])
  })

  it('run in one direction between the folders of core', () => {
    const parts = new Map<string, Set<string>>()
    for (const [file, { now }] of imports) {
      const from = partOfCore(file)
      if (from === undefined) continue
      const to = parts.get(from) ?? new Set()
      parts.set(from, to)
      for (const part of now.map(partOfCore)) if (part !== undefined && part !== from) to.add(part)
    }

    expect(findCircles(new Map([...parts].map(([part, to]) => [part, [...to]])))).toEqual([])
  })

  it('bring no command into the console: both call acts', () => {
    const commands = files.flatMap((file) => {
      const { now, later } = imports.get(file) ?? { now: [], later: [] }
      const isOfConsole = /^src\/(?:cli\/)?console\//.test(file)
      const others = [...now, ...later].filter((to) => /^src\/cli\/(?!console\/|shared\/)/.test(to))
      return isOfConsole ? others.map((to) => `${file} imports ${to}`) : []
    })

    expect(commands).toEqual([])
  })

  it('of what hears messages of Temporal are in one file, which lets no error stop a workflow', () => {
    const hears = /\b(?:setHandler|setDefault\w+Handler|define(?:Query|Signal|Update))\b/
    const found = files.filter((file) => hears.test(readFileSync(join(root, file), 'utf8')))

    expect(found).toEqual(['src/engine/temporal/workflow/handlers.ts'])
  })
})

function importsOf(file: string): { readonly now: readonly string[]; readonly later: readonly string[] } {
  const text = readFileSync(join(root, file), 'utf8')
  const { module } = parseSync(file, text)
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ moduleRequest }) => moduleRequest),
  )
  const now = [...module.staticImports.map(({ moduleRequest }) => moduleRequest), ...exported]
  const later = module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
    text.slice(start + 1, end - 1),
  )
  const ofProject = (specifiers: readonly string[]): string[] =>
    [...new Set(specifiers)].map((to) => normalize(join(dirname(file), to))).filter((to) => known.has(to))
  return {
    now: ofProject(now.flatMap((request) => (request ? [request.value] : []))),
    later: ofProject(later),
  }
}

/** A folder of `src`; each engine, and what both of them use, is a module of its own. */
function moduleOf(file: string): string {
  const [, module = '', part = ''] = file.split('/')
  return module === 'engine' ? `engine/${part.endsWith('.ts') ? '' : part}` : module
}

/** What help texts name: to print them must not load a server. */
const ofHelp = 'src/sandbox/keys.ts'

function isEntryPoint(file: string): boolean {
  return file.endsWith('/index.ts') || /^src\/core\/[^/]+$/.test(file) || file === ofHelp
}

function isOfTheInterpreter(file: string): boolean {
  return file.startsWith('src/core/steps/')
}

/** A folder of the core, or a file at its top. */
function partOfCore(file: string): string | undefined {
  const [, module, part] = file.split('/')
  return module === 'core' ? part : undefined
}

/** The groups of files each of which imports every other one, by way of others or not. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (file: string): number => {
    const number = numbers.size
    numbers.set(file, number)
    lowest.set(file, number)
    open.push(file)
    for (const to of graph.get(file) ?? []) {
      const reached = !numbers.has(to) ? visit(to) : open.includes(to) ? (numbers.get(to) ?? number) : number
      lowest.set(file, Math.min(lowest.get(file) ?? number, reached))
    }
    if (lowest.get(file) === number) {
      const circle = open.splice(open.indexOf(file))
      if (circle.length > 1) circles.push(circle.sort())
    }
    return lowest.get(file) ?? number
  }
  for (const file of graph.keys()) if (!numbers.has(file)) visit(file)
  return circles
}
