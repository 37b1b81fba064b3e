package main

import "strings"

// separator stands between the tenant and the key of a qualified partition key; no key of this
// client's own holds it.
const separator = "|"

func qualify(tenant, key string) string { return tenant + separator + key }

// unqualify returns an empty tenant for a plain key.
func unqualify(partition string) (tenant, key string) {
	if at := strings.Index(partition, separator); at >= 0 {
		return partition[:at], partition[at+1:]
	}
	return "", partition
}
