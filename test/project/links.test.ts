import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = readdirSync(root)
  .concat(readdirSync(join(root, 'docs')).map((name) => `docs/${name}`))
  .filter((name) => name.endsWith('.md'))

describe('links between pages', () => {
  it.each(pages)('of %s point to a file and a heading', (page) => {
    const broken = linksOf(page).filter(({ file, anchor }) => {
      if (!existsSync(join(root, file))) return true
      return anchor !== undefined && !anchorsOf(file).has(anchor)
    })
    expect(broken).toEqual([])
  })
})

interface Link {
  readonly file: string
  readonly anchor: string | undefined
}

/** The links of a page to files of the project, relative to its root. */
function linksOf(page: string): readonly Link[] {
  return [...proseOf(page).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
    ([, path = '', anchor]): Link => ({
      file: path === '' ? page : relative(root, join(root, dirname(page), path)),
      anchor,
    }),
  )
}

/** Anchors as GitHub makes them of headings: a repeated one gets a number. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, title = ''] of proseOf(page).matchAll(/^#+ (.*)$/gm)) {
    const text = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    let anchor = text
    for (let count = 1; anchors.has(anchor); count++) anchor = `${text}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** The text of a page without its blocks of code. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```/gms, '')
}
