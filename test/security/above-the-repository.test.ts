/** A repository is checked out below a folder whose opsbook.yaml belongs to something else: it would run in there. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

/** `git`: what stands in the repository as its mark; a worktree and a submodule have a file. */
async function repositoryBelow(git: 'folder' | 'file'): Promise<{ above: string; inside: string }> {
  const above = await newFolder({ 'opsbook.yaml': 'actions: [./evil.mjs]\n', 'evil.mjs': 'throw "has run"' })
  const inside = join(above, 'repository', 'inside')
  await mkdir(inside, { recursive: true })
  const mark = join(above, 'repository', '.git')
  if (git === 'folder') await mkdir(mark)
  else await writeFile(mark, 'gitdir: ../elsewhere\n')
  return { above, inside }
}

it.each(['folder', 'file'] as const)('is refused where .git is a %s', async (git) => {
  const { above, inside } = await repositoryBelow(git)
  const { code, stderr } = await opsbook(['actions'], { folder: inside })
  expect(stderr).toContain(
    `opsbook.yaml is not used: it is above the repository ${join(above, 'repository')}`,
  )
  expect(stderr).toContain(`export OPSBOOK_TRUSTED_FOLDERS=${above}`)
  expect(stderr).not.toContain('has run')
  expect(code).toBe(5)
})

it('is used where the user trusts its folder', async () => {
  const { above, inside } = await repositoryBelow('folder')
  const env = { OPSBOOK_TRUSTED_FOLDERS: above }
  expect((await opsbook(['actions'], { folder: inside, env })).stderr).toContain('has run')
})

it('is used at the root of the repository, and from folders in it', async () => {
  const { above, inside } = await repositoryBelow('folder')
  const root = join(above, 'repository')
  await writeFile(join(root, 'opsbook.yaml'), '{}')
  for (const folder of [root, inside]) {
    expect(await opsbook(['actions'], { folder })).toMatchObject({ code: 0, stderr: '' })
  }
})

it('doctor says once that it does not use a file, and calls nothing ok that the file decides about', async () => {
  const { above, inside: folder } = await repositoryBelow('folder')
  await writeFile(join(above, 'opsbook.yaml'), 'data-dir: elsewhere\nhttp: { deny-private: true }\n')
  const { code, stdout } = await opsbook(['doctor'], { folder })
  const json = await opsbook(['doctor', '-o', 'json'], { folder })
  expect(code).toBe(5)
  expect(stdout.match(/is not used/g)).toHaveLength(1)
  const of = (status: string): readonly string[] =>
    JSON.parse(json.stdout)
      .checks.filter((check: { status: string }) => check.status === status)
      .map(({ name }: { name: string }) => name)
  expect(of('ok')).toEqual([])
  expect(of('fail')).toEqual(['configuration'])
  expect(of('skipped')).toEqual(['data directory', 'secrets', 'connection'])
  expect(stdout).toContain('not checked')
})
