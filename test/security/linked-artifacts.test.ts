/** Links are put into the folder of a run while it waits, so that its later steps write somewhere else. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder, opsbook, untilAsked } from '../cli/support/opsbook.ts'

const runbook = (name: string): string => `apiVersion: opsbook/v1
name: test
steps:
  - { id: first, uses: core/write, with: { content: first }, save-as: a.txt }
  - { id: ask, uses: core/approve, with: { message: "continue?" } }
  - { id: later, uses: core/write, with: { content: later }, save-as: ${name} }
`

describe('a link in the folder of a run is not followed', () => {
  it.each([
    { about: 'in the place of the file', name: 'b.txt', link: 'b.txt', target: 'victim.txt' },
    { about: 'to a file that is not there', name: 'b.txt', link: 'b.txt', target: 'new.txt' },
    { about: 'in the place of its folder', name: 'sub/b.txt', link: 'sub', target: 'folder' },
    { about: 'further up', name: 'sub/deep/b.txt', link: 'sub', target: 'folder' },
  ])('$about', async ({ name, link, target }) => {
    const folder = await newFolder({ 'test.yaml': runbook(name), 'victim.txt': 'precious' })
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'folder/b.txt'), 'precious')
    const at = ['--data-dir', 'data']
    const words = ['run', 'test.yaml', '--sandbox', '--output', 'json', ...at]
    const { ended } = await untilAsked(words, { folder })
    const [runId = ''] = readdirSync(join(folder, 'data/runs'))
    symlinkSync(join(folder, target), join(folder, 'data/runs', runId, link))
    await opsbook(['approve', runId, 'ask', ...at], { folder })
    const { code, stdout } = await ended
    expect(code).toBe(5)
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'FileNotWritten',
      path: 'later',
      message: expect.stringMatching(/is a symbolic link, which is not followed$/),
    })
    expect(readFileSync(join(folder, 'victim.txt'), 'utf8')).toBe('precious')
    expect(readdirSync(folder)).not.toContain('new.txt')
    expect(readdirSync(join(folder, 'folder'))).toEqual(['b.txt'])
    expect(readFileSync(join(folder, 'folder/b.txt'), 'utf8')).toBe('precious')
  })
})
