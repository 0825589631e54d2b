/** A pull request names files of the machine that validates it: by paths, through links, or as runbooks that are none. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

const token = 'npm_Kx81bQ0zL4'
const head = 'apiVersion: opsbook/v1\nname: example\n'
const aRunbook = `${head}steps: [{ id: a, uses: core/log, with: { message: hi } }]\n`
const runs = (path: string): string =>
  `${head}steps: [{ id: a, uses: core/run, with: { runbook: "${path}" } }]\n`

/** What may be beside the checkout, or in it without belonging to git. */
const secrets: Readonly<Record<string, string>> = {
  text: `//registry.npmjs.org/:_authToken=${token}\n`,
  variables: `PASSWORD=${token}\nOTHER="open\n`,
  map: `apiVersion: v1\nkind: Config\nusers: [{ name: a, token: ${token} }]\n`,
  broken: `steps: [\n  ${token}: {\n`,
  key: `-----BEGIN KEY-----\n${token}\t${token}\n-----END KEY-----\n`,
  bytes: `${token}\u0007\n`,
  runbook: `${aRunbook.trimEnd()} ${token}\n`,
}

async function checkout(mark: '.git' | 'opsbook.yaml' | 'neither'): Promise<{ above: string; root: string }> {
  const above = await newFolder(Object.fromEntries(Object.entries(secrets)))
  const root = join(above, 'checkout')
  await mkdir(join(root, 'runbooks'), { recursive: true })
  if (mark === '.git') await mkdir(join(root, '.git'))
  if (mark === 'opsbook.yaml') await writeFile(join(root, 'opsbook.yaml'), '{}\n')
  return { above, root }
}

const commands: readonly (readonly string[])[] = [
  ['validate', 'runbooks'],
  ['validate', 'runbooks/a.yaml', '--output', 'json'],
  ['validate', 'runbooks/a.yaml', '--output', 'sarif'],
  ['validate', 'runbooks/a.yaml', '--output', 'github'],
  ['plan', 'runbooks/a.yaml'],
  ['plan', 'a', '--output', 'json'],
  ['graph', 'a'],
  ['run', 'a', '--sandbox'],
  ['test', 'runbooks'],
  ['test', 'runbooks', '--output', 'junit'],
  ['test', 'runbooks', '--output', 'github'],
]

async function expectNothingOf(folder: string, finding: RegExp): Promise<void> {
  for (const words of commands) {
    const { code, stdout, stderr } = await opsbook(words, { folder })
    const all = stdout + stderr
    expect(all, words.join(' ')).toMatch(finding)
    expect(all).not.toContain(token)
    expect(all).not.toContain(
      createHash('sha256')
        .update(secrets['text'] ?? '')
        .digest('hex'),
    )
    expect(code, words.join(' ')).toBe(2)
  }
}

const aTest = 'runbook: ./a.yaml\ntests: [{ name: works, expect: { status: succeeded } }]\n'

describe.each(Object.keys(secrets))('%s', (kind) => {
  it.each([
    { mark: '.git', path: `../../${kind}` },
    { mark: 'opsbook.yaml', path: `x/../../../${kind}` },
    { mark: 'neither', path: `../../${kind}` },
  ] as const)('by a path out of the repository of $mark', async ({ mark, path }) => {
    const { root } = await checkout(mark)
    await writeFile(join(root, 'runbooks/a.yaml'), runs(path))
    await writeFile(join(root, 'runbooks/a.test.yaml'), aTest)
    await expectNothingOf(root, /INVALID_PATH|not in this repository/)
  })

  it.each(['.git', 'opsbook.yaml'] as const)('through a link of a child, with %s', async (mark) => {
    const { above, root } = await checkout(mark)
    await symlink(join(above, kind), join(root, 'linked'))
    await writeFile(join(root, 'runbooks/a.yaml'), runs('../linked'))
    await writeFile(join(root, 'runbooks/a.test.yaml'), aTest)
    await expectNothingOf(root, /INVALID_PATH|not in this repository/)
  })

  it('through a linked folder', async () => {
    const { above, root } = await checkout('.git')
    await symlink(above, join(root, 'folder'))
    await writeFile(join(root, 'runbooks/a.yaml'), runs(`../folder/${kind}`))
    await writeFile(join(root, 'runbooks/a.test.yaml'), aTest)
    await expectNothingOf(root, /INVALID_PATH|not in this repository/)
  })

  it('of what git keeps', async () => {
    const { root } = await checkout('.git')
    await writeFile(join(root, '.git/config'), secrets[kind] ?? '')
    await writeFile(join(root, 'runbooks/a.yaml'), runs('../.git/config'))
    await writeFile(join(root, 'runbooks/a.test.yaml'), aTest)
    await expectNothingOf(root, /INVALID_PATH|not in this repository/)
  })

  it('as the runbook of tests', async () => {
    const { root } = await checkout('.git')
    await writeFile(join(root, 'a.test.yaml'), aTest.replace('./a.yaml', `../${kind}`))
    const { code, stdout, stderr } = await opsbook(['test'], { folder: root })
    expect(stdout + stderr).toContain('INVALID_PATH')
    expect(stdout + stderr).not.toContain(token)
    expect(code).toBe(2)
  })

  it.skipIf(kind === 'runbook')('as a document of an API: no hash', async () => {
    const { above, root } = await checkout('.git')
    await symlink(join(above, kind), join(root, 'linked.yaml'))
    await writeFile(join(root, 'own.yaml'), secrets[kind] ?? '')
    await writeFile(join(root, 'runbooks/a.yaml'), aRunbook)
    for (const openapi of [`../${kind}`, join(above, kind), `~/${kind}`, './linked.yaml', './own.yaml']) {
      await writeFile(
        join(root, 'opsbook.yaml'),
        `connections: { x: { type: http, base-url: "https://a.example" } }
apis: { acme: { openapi: ${openapi}, connection: x, operations: { a: { safety: read } } } }\n`,
      )
      const hash = createHash('sha256')
        .update(secrets[kind] ?? '')
        .digest('hex')
      for (const words of [['validate', '.'], ['plan', 'a'], ['schema'], ['graph', 'a']]) {
        const { code, stdout, stderr } = await opsbook(words, { folder: root, env: { HOME: above } })
        expect(stdout + stderr).toMatch(/not in this repository|neither JSON nor YAML|no document of OpenAPI/)
        expect(stdout + stderr).not.toContain(hash)
        expect(stdout + stderr).not.toContain(token)
        expect(code).toBe(2)
      }
    }
  })

  it.skipIf(kind === 'runbook')('in the repository, but no runbook: nothing of it is quoted', async () => {
    const { root } = await checkout('.git')
    await writeFile(join(root, '.env'), secrets[kind] ?? '')
    await writeFile(join(root, 'runbooks/a.yaml'), runs('../.env'))
    await writeFile(join(root, 'runbooks/a.test.yaml'), aTest)
    await expectNothingOf(root, /NOT_A_RUNBOOK|NOT_TEXT/)
  })
})

describe('a runbook that is a link', () => {
  it.each([
    { named: ['validate', 'runbooks'], finding: 'FILE_OUTSIDE' },
    { named: ['validate', 'runbooks/a.yaml'], finding: 'FILE_OUTSIDE' },
    { named: ['plan', 'a'], finding: 'a link that leads out of the repository' },
    { named: ['graph', 'runbooks/a.yaml'], finding: 'a link that leads out of the repository' },
  ])('$named', async ({ named, finding }) => {
    const { above, root } = await checkout('.git')
    await symlink(join(above, 'runbook'), join(root, 'runbooks/a.yaml'))
    const { code, stdout, stderr } = await opsbook(named, { folder: root })
    expect(stdout + stderr).toContain(finding)
    expect(stdout + stderr).not.toContain(token)
    expect(code).toBe(2)
  })

  it('or its folder is one, to another repository', async () => {
    const { above, root } = await checkout('.git')
    await mkdir(join(above, 'other/.git'), { recursive: true })
    await writeFile(join(above, 'other/a.yaml'), secrets['runbook'] ?? '')
    await symlink(join(above, 'other'), join(root, 'linked'))
    const { code, stdout } = await opsbook(['validate', 'linked'], { folder: root })
    expect(stdout).toContain('FILE_OUTSIDE')
    expect(stdout).not.toContain(token)
    expect(code).toBe(2)
  })
})

it('a page names runbooks of its repository only', async () => {
  const { above, root } = await checkout('.git')
  for (const path of ['../runbook', join(above, 'runbook'), './runbooks/../../runbook']) {
    await writeFile(join(root, 'README.md'), `<!-- opsbook graph ${path} -->\n<!-- /opsbook graph -->\n`)
    const { code, stderr } = await opsbook(['graph', '--write', 'README.md'], { folder: root })
    expect(stderr).toMatch(/^error: README\.md:1 .* is not in this repository/)
    expect(code).toBe(2)
  }
})

it('init writes through no link', async () => {
  const { above, root } = await checkout('neither')
  await writeFile(join(above, 'victim'), 'before\n')
  await symlink(join(above, 'victim'), join(root, '.gitignore'))
  expect(await opsbook(['init'], { folder: root })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('it is a link out of the repository'),
  })
  expect(readFileSync(join(above, 'victim'), 'utf8')).toBe('before\n')
  expect(existsSync(join(root, 'opsbook.yaml'))).toBe(false)
})

describe('what is in the repository', () => {
  it('is read: beside, above, and through links', async () => {
    const { root } = await checkout('.git')
    const named = (name: string, path: string): string => runs(path).replace(/name: \w+/, `name: ${name}`)
    await writeFile(join(root, 'shared.yaml'), aRunbook)
    await symlink('../shared.yaml', join(root, 'runbooks/linked.yaml'))
    await writeFile(join(root, 'runbooks/a.yaml'), named('first', '../shared.yaml'))
    await writeFile(join(root, 'runbooks/b.yaml'), named('second', './linked.yaml'))
    expect(await opsbook(['validate', 'runbooks'], { folder: root })).toMatchObject({ code: 0 })
  })

  it('may itself be named through a link', async () => {
    const { above, root } = await checkout('.git')
    await writeFile(join(root, 'shared.yaml'), aRunbook)
    await writeFile(join(root, 'runbooks/a.yaml'), runs('../shared.yaml'))
    await symlink(root, join(above, 'linked'))
    expect(await opsbook(['validate', 'linked/runbooks/a.yaml'], { folder: above })).toMatchObject({
      code: 0,
    })
  })

  it('does not bind who types a path', async () => {
    const { above, root } = await checkout('.git')
    await writeFile(join(above, 'mine.yaml'), aRunbook)
    expect(await opsbook(['validate', '../mine.yaml'], { folder: root })).toMatchObject({ code: 0 })
  })
})
