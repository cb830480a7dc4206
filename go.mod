module portico

go 1.26
