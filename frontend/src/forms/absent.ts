/** Stands in for a package that a test helper inside of @rjsf/core names and nothing in Portico uses. */
export default {};
