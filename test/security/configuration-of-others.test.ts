/** Another user puts an opsbook.yaml where the user works: its modules would run, with the user's keys at hand. */
import { existsSync } from 'node:fs'
import { chmod, chown, lchown, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isOwnFile } from '../../src/project/configuration/require-trust.ts'
import { opsbook } from '../cli/support/opsbook.ts'

const stranger = 65534
const runbook = `apiVersion: opsbook/v1
name: look
steps: [{ id: say, uses: core/log, with: { message: hello } }]
`

/** A folder with the stranger's files, and below it the one that the user works in. */
async function attackedFolder(): Promise<{ folder: string; work: string; hasRun: () => boolean }> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-stranger-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const mark = join(folder, 'has-run')
  const work = join(folder, 'work')
  await mkdir(work)
  await writeFile(join(folder, 'opsbook.yaml'), 'actions: [./evil.mjs]\n')
  await writeFile(
    join(folder, 'evil.mjs'),
    `import { writeFileSync } from 'node:fs'\nwriteFileSync('${mark}', '')\n`,
  )
  await writeFile(join(work, 'look.yaml'), runbook)
  return { folder, work, hasRun: () => existsSync(mark) }
}

const commands = [
  ['run', 'look.yaml', '--sandbox'],
  ['call', 'core/log', '--input', 'message=hello'],
  ['actions'],
  ['doctor'],
  ['validate', 'look.yaml', '--with-actions'],
  ['plan', 'look.yaml', '--with-actions'],
  ['schema', '--with-actions'],
]

const isRoot = process.geteuid?.() === 0

describe.skipIf(!isRoot)('beside files of another user, which only root can make', () => {
  it.each(commands.map((words) => ({ words })))('$words does not run them', async ({ words }) => {
    const { folder, work, hasRun } = await attackedFolder()
    await chown(join(folder, 'opsbook.yaml'), stranger, stranger)
    const { code, stdout, stderr } = await opsbook(words, { folder: work })
    expect(stdout + stderr).toMatch(
      /opsbook\.yaml is not used: it belongs to another user \(65534, and you are 0\)/,
    )
    expect(stdout + stderr).toContain(`export OPSBOOK_TRUSTED_FOLDERS=${folder}`)
    expect({ code, hasRun: hasRun() }).toEqual({ code: 5, hasRun: false })
  })

  it.each<{ name: string; attack: (folder: string) => Promise<void> }>([
    { name: 'a link that another user made', attack: makeLink },
    { name: 'a folder of another user', attack: (folder) => chown(folder, stranger, stranger) },
    {
      name: 'a module of another user',
      attack: (folder) => chown(join(folder, 'evil.mjs'), stranger, stranger),
    },
  ])('$name', async ({ attack }) => {
    const { folder, work, hasRun } = await attackedFolder()
    await attack(folder)
    const { code, stderr } = await opsbook(['actions'], { folder: work })
    expect(stderr).toMatch(/is not used: it(s folder)? belongs to another user/)
    expect({ code, hasRun: hasRun() }).toEqual({ code: 5, hasRun: false })
  })

  it('what the user trusts is used, whoever owns it', async () => {
    const { folder, work, hasRun } = await attackedFolder()
    await chown(join(folder, 'opsbook.yaml'), stranger, stranger)
    const env = { OPSBOOK_TRUSTED_FOLDERS: `/srv/not-there:${folder}` }
    const { stderr } = await opsbook(['actions'], { folder: work, env })
    expect(stderr).toContain('it exports no action')
    expect(hasRun()).toBe(true)
  })

  it.each(['/srv', '.', `${tmpdir()}/opsbook`])('%s does not cover the folder', async (trusted) => {
    const { folder, work, hasRun } = await attackedFolder()
    await chown(join(folder, 'opsbook.yaml'), stranger, stranger)
    const env = { OPSBOOK_TRUSTED_FOLDERS: trusted }
    expect((await opsbook(['actions'], { folder: work, env })).code).toBe(trusted === '.' ? 2 : 5)
    expect(hasRun()).toBe(false)
  })

  it('whoever called sudo is no stranger', async () => {
    const { folder, work } = await attackedFolder()
    await chown(join(folder, 'opsbook.yaml'), stranger, stranger)
    const { stderr } = await opsbook(['actions'], { folder: work, env: { SUDO_UID: String(stranger) } })
    expect(stderr).not.toContain('is not used')
  })
})

describe('a file that every user may write', () => {
  it.each([
    { about: 'opsbook.yaml', path: 'opsbook.yaml', mode: 0o666 },
    { about: 'a module', path: 'evil.mjs', mode: 0o646 },
    { about: 'their folder', path: '', mode: 0o777 },
  ])('$about', async ({ path, mode }) => {
    const { folder, work, hasRun } = await attackedFolder()
    await chmod(join(folder, path), mode)
    const { code, stderr } = await opsbook(['actions'], { folder: work })
    expect(stderr).toMatch(/is not used: every user of this machine may write it/)
    expect({ code, hasRun: hasRun() }).toEqual({ code: 5, hasRun: false })
    const env = { OPSBOOK_TRUSTED_FOLDERS: folder }
    expect((await opsbook(['actions'], { folder: work, env })).stderr).not.toContain('is not used')
  })

  it('by the folder that a link to it leads to', async () => {
    const { folder, work, hasRun } = await attackedFolder()
    const open = join(folder, 'open')
    await mkdir(open)
    await rename(join(folder, 'evil.mjs'), join(open, 'evil.mjs'))
    await symlink(join(open, 'evil.mjs'), join(folder, 'evil.mjs'))
    await chmod(open, 0o777)
    const { code, stderr } = await opsbook(['actions'], { folder: work })
    expect(stderr).toMatch(/is not used: every user of this machine may write it, by its folder/)
    expect({ code, hasRun: hasRun() }).toEqual({ code: 5, hasRun: false })
  })

  it.each([
    { path: 'evil.mjs', mode: 0o664 },
    { path: '', mode: 0o1777 },
    { path: '', mode: 0o775 },
  ])('but a group may, and who has a file of their own in /tmp: $mode', async ({ path, mode }) => {
    const { folder, work, hasRun } = await attackedFolder()
    await chmod(join(folder, path), mode)
    await opsbook(['actions'], { folder: work })
    expect(hasRun()).toBe(true)
  })
})

/** The user's own file, reached over a link: `./evil.mjs` would be the one beside the link. */
async function makeLink(folder: string): Promise<void> {
  await rename(join(folder, 'opsbook.yaml'), join(folder, 'own.yaml'))
  await symlink(join(folder, 'own.yaml'), join(folder, 'opsbook.yaml'))
  await lchown(join(folder, 'opsbook.yaml'), stranger, stranger)
}

it.each([
  { ownerId: 1000, own: { userId: 1000 }, isOwn: true },
  { ownerId: 0, own: { userId: 1000 }, isOwn: true },
  { ownerId: 1001, own: { userId: 1000 }, isOwn: false },
  { ownerId: 1000, own: { userId: 0 }, isOwn: false },
  { ownerId: 1000, own: { userId: 0, sudoUserId: 1000 }, isOwn: true },
  { ownerId: 1001, own: { userId: 0, sudoUserId: 1000 }, isOwn: false },
  { ownerId: 1001, own: { userId: 1000, sudoUserId: 1001 }, isOwn: false },
])('a file of $ownerId for $own', ({ ownerId, own, isOwn }) => {
  expect(isOwnFile(ownerId, own)).toBe(isOwn)
})
