/** What is wrong with a tag, which in a condition was meant to be `not`. */
export function tagProblem(
  tag: string,
  key: string | number | undefined,
): { readonly code: 'YAML_TAG'; readonly message: string; readonly hint: string } {
  const isCondition = key === 'if' || key === 'where' || key === 'until' || key === 'that'
  const message = `a value that begins with "!" is a tag of YAML ("${tag}"), and runbooks have none`
  const hint = isCondition ? `write the condition inside \${{ }}` : 'leave it out, or quote the value'
  return { code: 'YAML_TAG', message, hint }
}
