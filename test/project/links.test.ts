import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
]

/** The text of a page without its code blocks, which may look like headings or links. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '')
}

/** The anchors of a page, as the common renderers make them of its headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const titles = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title)
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

function brokenLinksOf(page: string): readonly string[] {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    if (/^\w+:/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? page : join(dirname(page), file)
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsOf(target).has(anchor)
  })
}

it.each(pages)('every link of %s leads somewhere', (page) => {
  expect(brokenLinksOf(page)).toEqual([])
})

/** The files of the project, by which a page names them: whole or from any folder. */
const files = ['bench', 'scripts', 'src', 'test', 'workers'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`),
)

function missingFilesOf(page: string): readonly string[] {
  const named = [...proseOf(page).matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => name)
  // `x` stands for any name.
  return named.filter((name) => !name.startsWith('x.') && !files.some((file) => file.endsWith(`/${name}`)))
}

it.each(pages)('every source file that %s names is there', (page) => {
  expect(missingFilesOf(page)).toEqual([])
})
